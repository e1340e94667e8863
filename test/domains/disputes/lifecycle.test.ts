import { expect, test } from 'vitest';
import {
  disputeTransitions,
  holdsFunds,
  isClosed,
  isCurrent,
  mayBecome,
} from '../../../src/domains/disputes/lifecycle.ts';
import { stateColumns } from '../../../src/domains/payments/payment/lifecycle.ts';
import { disputeAmount, disputeLossOf, refundAmount } from '../../../src/domains/payments/payment/policy.ts';
import { disputeStatuses } from '../../../src/ports/card-processor.ts';

test('the transitions are those of the table', () => {
  const lines = disputeStatuses.map((from) => {
    const next = disputeStatuses.filter((to) => mayBecome(from, to)).join(' ') || '–';
    return `${from}: ${next}${isClosed(from) ? ', closed' : ''}${holdsFunds(from) ? ', has the money' : ''}`;
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "needs_response: under_review won lost, has the money",
      "under_review: won lost, has the money",
      "won: –, closed",
      "lost: –, closed, has the money",
    ]
  `);
  expect(Object.keys(disputeTransitions)).toEqual([...disputeStatuses]);
});

const payment = (disputedAmount: number, more = {}) => ({
  ...stateColumns.captured,
  amount: 1000,
  capturedAmount: 1000,
  refundedAmount: 0,
  reservedAmount: 0,
  disputedAmount,
  foreignDisputes: 0,
  authorizationExpiresAt: null,
  ...more,
});

test('a dispute and a refund share the rest, which a refund never exceeds and a dispute may', () => {
  expect(refundAmount(payment(400), 601)).toMatchObject({ refused: 'amount' });
  for (const amountOf of [disputeAmount, refundAmount]) {
    expect(amountOf(payment(400), 600)).toBe(600);
    expect(amountOf(payment(400), null)).toBe(600);
    expect(amountOf(payment(1000), null)).toMatchObject({ refused: 'state' });
    expect(amountOf(payment(1700), null)).toMatchObject({ refused: 'state' });
    expect(amountOf(payment(0, { reservedAmount: 1000 }), null)).toMatchObject({ refused: 'state' });
  }
});

test.each([
  'processing',
  'authorized',
  'declined',
  'voided',
] as const)('a payment that is %s is not disputed', (state) => {
  expect(disputeAmount({ ...payment(0), ...stateColumns[state] }, 1)).toMatchObject({ refused: 'state' });
});

test('a dispute above the rest, and one of a refunded payment, has the amount that is named', () => {
  expect(disputeAmount(payment(400), 601)).toBe(601);
  const refunded = payment(0, { ...stateColumns.refunded, refundedAmount: 1000 });
  expect([disputeAmount(refunded, 5), disputeAmount(refunded, null)]).toMatchObject([5, { refused: 'state' }]);
});

test('what refunds and disputes take beyond the captured amount is a loss', () => {
  expect(disputeLossOf(payment(1000))).toBe(0);
  expect(disputeLossOf(payment(1001))).toBe(1);
  expect(disputeLossOf(payment(700, { refundedAmount: 1000 }))).toBe(700);
  expect(disputeLossOf(payment(700, { capturedAmount: 0 }))).toBe(700);
  expect(disputeLossOf(payment(700, { reservedAmount: 1000 }))).toBe(0);
});

test('nothing is refunded beside a dispute in another currency', () => {
  expect(refundAmount(payment(0, { foreignDisputes: 1 }), 1)).toMatchObject({ code: 'PAYMENT_DISPUTED' });
  expect(refundAmount(payment(0), 1)).toBe(1);
});

test('a later notice applies, an earlier one does not, and of two at once the one that follows', () => {
  const known = { status: 'won', reportedAt: new Date(2_000) } as const;
  expect(isCurrent(known, { status: 'needs_response', reportedAt: new Date(2_001) })).toBe(true);
  expect(isCurrent(known, { status: 'lost', reportedAt: new Date(1_999) })).toBe(false);
  for (const reportedAt of [new Date(2_000), null]) {
    expect(isCurrent(known, { status: 'under_review', reportedAt })).toBe(false);
    expect(isCurrent(known, { status: 'lost', reportedAt })).toBe(true);
    expect(isCurrent({ ...known, status: 'under_review' }, { status: 'won', reportedAt })).toBe(true);
  }
});
