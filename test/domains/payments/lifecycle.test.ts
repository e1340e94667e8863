import { describe, expect, test } from 'vitest';
import { mayFollow, paymentOutcomeOf } from '../../../src/domains/payments/charge/outcome.ts';
import {
  nextState,
  type PaymentState,
  type PaymentTrigger,
  paymentState,
  paymentTransitions,
  stateColumns,
} from '../../../src/domains/payments/payment/lifecycle.ts';

const states = Object.keys(paymentTransitions) as PaymentState[]; // the record's keys are the type
const terminal: PaymentState[] = ['declined', 'voided', 'expired', 'authentication_expired', 'processing_error'];

describe('the table of transitions', () => {
  test('is that of the contract', () => {
    const lines = states.flatMap((from) =>
      Object.entries(paymentTransitions[from]).map(([trigger, to]) => `${from} --${trigger}--> ${to}`),
    );
    expect(lines).toMatchInlineSnapshot(`
      [
        "processing --purchaseApproved--> captured",
        "processing --authorizationApproved--> authorized",
        "processing --challenged--> requires_action",
        "processing --declined--> declined",
        "processing --failed--> processing_error",
        "processing --captured--> captured",
        "processing --voided--> voided",
        "processing --authorizationExpired--> expired",
        "processing --modificationFailed--> authorized",
        "requires_action --continued--> processing",
        "requires_action --challengeExpired--> authentication_expired",
        "authorized --modificationStarted--> processing",
        "captured --partlyRefunded--> partially_refunded",
        "captured --fullyRefunded--> refunded",
        "partially_refunded --partlyRefunded--> partially_refunded",
        "partially_refunded --fullyRefunded--> refunded",
        "partially_refunded --refundFailed--> partially_refunded",
        "partially_refunded --allRefundsFailed--> captured",
        "refunded --refundFailed--> partially_refunded",
        "refunded --allRefundsFailed--> captured",
      ]
    `);
  });

  test.each(terminal)('nothing follows %s', (state) => {
    expect(paymentTransitions[state]).toEqual({});
  });

  test('every state is reached from processing', () => {
    const reached = new Set<PaymentState>(['processing']);
    for (const state of reached) for (const to of Object.values(paymentTransitions[state])) reached.add(to);
    expect([...reached].sort()).toEqual([...states].sort());
  });

  test.each(states)('the columns of %s name it', (state) => {
    expect(paymentState(stateColumns[state])).toBe(state);
  });

  test('a trigger that is not allowed has no next state', () => {
    const triggers: PaymentTrigger[] = ['modificationStarted', 'fullyRefunded', 'purchaseApproved'];
    expect(triggers.map((trigger) => nextState(stateColumns.declined, trigger))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the end of an attempt', () => {
  const approved = { result: 'approved', processorReference: 'r' } as const;
  test('an approved purchase is captured, an approved authorization is authorized', () => {
    expect(paymentOutcomeOf(approved)).toMatchObject({
      status: 'succeeded',
      subStatus: 'captured',
      captured: true,
      event: 'payment/succeeded',
    });
    expect(paymentOutcomeOf(approved, 'authorization')).toMatchObject({
      status: 'pending',
      subStatus: 'authorized',
      captured: false,
      event: 'payment/authorized',
    });
  });

  test.each([
    [approved, 'processing', true],
    [approved, 'requires_action', false],
    [approved, 'refunded', false],
    [{ result: 'challengeExpired' }, 'requires_action', true],
    [{ result: 'challengeExpired' }, 'processing', false],
    [{ result: 'noProcessor' }, 'processing', true],
    [{ result: 'noProcessor' }, 'voided', false],
  ] as const)('%j after %s: %s', (end, from, may) => {
    expect(mayFollow(stateColumns[from], paymentOutcomeOf(end))).toBe(may);
  });
});
