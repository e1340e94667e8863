import { expect, test } from 'vitest';
import { disputeTransitions, isClosed, mayBecome, takesMoney } from '../../src/domains/disputes/lifecycle.ts';
import { stateColumns } from '../../src/domains/payments/lifecycle.ts';
import { disputeAmount, refundAmount } from '../../src/domains/payments/policy.ts';
import { disputeStatuses } from '../../src/ports/card-processor.ts';

test('the transitions are those of the table', () => {
  const lines = disputeStatuses.map((from) => {
    const next = disputeStatuses.filter((to) => mayBecome(from, to)).join(' ') || '–';
    return `${from}: ${next}${isClosed(from) ? ', closed' : ''}${takesMoney(from) ? ', has the money' : ''}`;
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
  authorizationExpiresAt: null,
  ...more,
});

test('a dispute and a refund share the rest, and neither exceeds it', () => {
  for (const amountOf of [disputeAmount, refundAmount]) {
    expect(amountOf(payment(400), 600)).toBe(600);
    expect(amountOf(payment(400), null)).toBe(600);
    expect(amountOf(payment(400), 601)).toMatchObject({ refused: 'amount' });
    expect(amountOf(payment(1000), null)).toMatchObject({ refused: 'state' });
    expect(amountOf(payment(0, { reservedAmount: 1000 }), null)).toMatchObject({ refused: 'state' });
  }
});

test.each([
  'processing',
  'authorized',
  'declined',
  'voided',
  'refunded',
] as const)('a payment that is %s is not disputed', (state) => {
  expect(disputeAmount({ ...payment(0), ...stateColumns[state] }, 1)).toMatchObject({ refused: 'state' });
});
