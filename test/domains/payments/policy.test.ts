import { describe, expect, test } from 'vitest';
import {
  type PaymentState,
  paymentTransitions,
  stateColumns,
} from '../../../src/domains/payments/payment/lifecycle.ts';
import { captureAmount, expiryAmount, refundAmount, voidAmount } from '../../../src/domains/payments/payment/policy.ts';

const now = new Date('2026-01-08T12:00:00Z');
const later = new Date(now.getTime() + 1);

function payment(
  state: PaymentState,
  more: { captured?: number; refunded?: number; reserved?: number; disputed?: number; expiresAt?: Date } = {},
) {
  const { captured = 0, refunded = 0, reserved = 0, disputed = 0, expiresAt = null } = more;
  return {
    ...stateColumns[state],
    amount: 1000,
    capturedAmount: captured,
    refundedAmount: refunded,
    reservedAmount: reserved,
    disputedAmount: disputed,
    foreignDisputes: 0,
    authorizationExpiresAt: expiresAt,
  };
}

const states = Object.keys(paymentTransitions) as PaymentState[]; // the record's keys are the type
const refused = (what: 'state' | 'amount') => expect.objectContaining({ refused: what });

describe('capture', () => {
  const held = payment('authorized', { expiresAt: later });
  test.each([
    [null, 1000],
    [1, 1],
    [1000, 1000],
  ])('asked for %s of 1000 authorized captures %s', (requested, taken) =>
    expect(captureAmount(held, requested, now)).toBe(taken));
  test('above the authorized amount is rejected', () =>
    expect(captureAmount(held, 1001, now)).toEqual(refused('amount')));
  test('at the expiry is rejected', () =>
    expect(captureAmount(payment('authorized', { expiresAt: now }), null, now)).toEqual(refused('state')));
  test.each(states.filter((state) => state !== 'authorized'))('is rejected when %s', (state) =>
    expect(captureAmount(payment(state), null, now)).toEqual(refused('state')));
});

describe('void', () => {
  test('releases all that is authorized', () =>
    expect(voidAmount(payment('authorized', { expiresAt: later }), now)).toBe(1000));
  test('at the expiry is rejected', () =>
    expect(voidAmount(payment('authorized', { expiresAt: now }), now)).toEqual(refused('state')));
  test.each(states.filter((state) => state !== 'authorized'))('is rejected when %s', (state) =>
    expect(voidAmount(payment(state), now)).toEqual(refused('state')));
});

describe('expiry', () => {
  test('at the expiry time', () => expect(expiryAmount(payment('authorized', { expiresAt: now }), now)).toBe(1000));
  test('not before it', () =>
    expect(expiryAmount(payment('authorized', { expiresAt: later }), now)).toEqual(refused('state')));
});

describe('refund', () => {
  test.each([
    [null, 1000],
    [1, 1],
    [1000, 1000],
  ])('asked for %s of 1000 captured refunds %s', (requested, given) =>
    expect(refundAmount(payment('captured', { captured: 1000 }), requested)).toBe(given));
  test('above the rest is rejected with the rest', () =>
    expect(refundAmount(payment('partially_refunded', { captured: 1000, refunded: 400 }), 601)).toEqual(
      refused('amount'),
    ));
  test('the amount of concurrent refunds is not left', () => {
    const contended = payment('partially_refunded', { captured: 1000, refunded: 400, reserved: 500 });
    expect(refundAmount(contended, 101)).toEqual(refused('amount'));
    expect(refundAmount(contended, null)).toBe(100);
    expect(refundAmount(payment('captured', { captured: 1000, reserved: 1000 }), null)).toEqual(refused('state'));
  });
  test.each(
    states.filter((state) => state !== 'captured' && state !== 'partially_refunded'),
  )('is rejected when %s', (state) => expect(refundAmount(payment(state), 1)).toEqual(refused('state')));
});
