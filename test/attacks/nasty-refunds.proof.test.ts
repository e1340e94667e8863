import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import type { Refund } from '../support/stripe/ledger.ts';
import { createRefund, openDispute } from '../support/stripe/money.ts';
import { type NastyWorld, startNastyWorld } from '../support/stripe/nasty-world.ts';

let world: NastyWorld;
beforeAll(async () => {
  world = await startNastyWorld();
});
afterAll(() => world?.close());

const applied = { status: 200, result: 'applied' };
const ignored = { status: 200, result: 'ignored' };
const ask = (paymentId: string, amount?: number) =>
  world.account.api.call('/payments/refund', { paymentId, ...(amount !== undefined && { amount }) });
const lastRefund = (): Refund => {
  const refund = [...world.ledger.refunds.values()].at(-1);
  if (!refund) throw new Error('There is no refund.');
  return refund;
};
/** The bank returns a refund: Stripe credits the charge again and sends `refund.failed`. */
const fail = (refund: Refund) => {
  const charge = world.ledger.charges.get(refund.charge);
  if (charge && refund.status === 'succeeded') charge.amount_refunded -= refund.amount;
  refund.status = 'failed';
  return world.tell('refund.failed', refund);
};
const captured = ['merchant_balance USD -1000', 'processor_receivable USD 1000'];

test('a refund that fails late: the money and the state go back, once, and it can be refunded again', async () => {
  const { id } = await world.charged(1000);
  await ask(id);
  const refund = lastRefund();
  expect(await fail(refund)).toEqual(applied);
  expect(await fail(refund)).toEqual(ignored);
  expect(await world.tell('refund.updated', { ...refund, status: 'succeeded' })).toEqual(ignored); // late
  expect(await world.payment(id)).toMatchObject({ status: 'succeeded', subStatus: 'captured', refundedAmount: 0 });
  expect(await world.postings(id)).toEqual(captured);
  expect(await world.eventTypes(id)).toEqual([
    'payment/created',
    'payment/succeeded',
    'payment/refunded',
    'payment/refundFailed',
  ]);
  expect((await ask(id)).body.payment.status).toBe('refunded');
});

test('ten failures of one refund at once take it back once', async () => {
  const { id } = await world.charged(1000);
  await ask(id, 600);
  const refund = { ...lastRefund(), status: 'failed' };
  const reported = await Promise.all(Array.from({ length: 10 }, () => world.tell('refund.failed', refund)));
  expect(reported.filter(({ result }) => result === 'applied')).toHaveLength(1);
  expect(new Set(reported.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await world.postings(id)).toEqual(captured);
});

test('the first of two refunds fails after the second took the rest', async () => {
  const { id } = await world.charged(1000);
  await ask(id, 600);
  const first = lastRefund();
  expect((await ask(id)).body.payment.status).toBe('refunded');
  await fail(first);
  expect(await world.payment(id)).toMatchObject({ status: 'partially_refunded', refundedAmount: 400 });
  expect((await ask(id, 601)).status).toBe(400);
  expect((await ask(id, 600)).body.payment.status).toBe('refunded');
});

test('failed before its success is known: nothing was refunded, whichever arrives first', async () => {
  for (const fault of ['answerIsLost', 'fails'] as const) {
    const { id } = await world.charged(1000);
    world.standIn.fault(fault === 'fails' ? 'failsAfterwards' : fault, /POST \/v1\/refunds$/);
    expect((await ask(id)).body.refund.status).toBe('pending');
    const refund = lastRefund();
    expect(await fail(refund)).toEqual(applied);
    expect(await world.tell('refund.created', { ...refund, status: 'succeeded' })).toEqual(ignored);
    world.clock.advance(10_000);
    await resolveUnknownPayments(world.platform.services);
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded', refundedAmount: 0 });
    expect(await world.postings(id)).toEqual(captured);
    expect(await world.eventTypes(id)).toEqual(['payment/created', 'payment/succeeded']);
  }
});

test('failed after a dispute: the loss goes, and 409 for another refund while it is disputed', async () => {
  const { id, intentId } = await world.charged(1000);
  await ask(id);
  const refund = lastRefund();
  await world.tell('charge.dispute.created', openDispute(world.ledger, intentId, { amount: 1000 }));
  expect(await world.postings(id)).toContain('dispute_losses USD 1000');
  expect(await fail(refund)).toEqual(applied);
  expect(await world.postings(id)).toEqual(['disputes USD 1000', 'merchant_balance USD -1000']);
  expect(await world.payment(id)).toMatchObject({ status: 'succeeded', refundedAmount: 0 });
  expect(await ask(id)).toMatchObject({ status: 409, body: { data: { code: 'PAYMENT_DISPUTED' } } });
});

test('a refund of the dashboard that fails: in order, and reported before its success', async () => {
  const { id, intentId } = await world.charged(1000);
  const first = createRefund(world.ledger, { payment_intent: intentId, amount: '300' });
  expect(await world.tell('refund.created', first)).toEqual(applied);
  expect(await fail(first)).toEqual(applied);
  const second = createRefund(world.ledger, { payment_intent: intentId, amount: '200' });
  expect(await fail(second)).toEqual(applied);
  expect(await world.tell('refund.created', { ...second, status: 'succeeded' })).toEqual(ignored);
  expect(await world.payment(id)).toMatchObject({ status: 'succeeded', refundedAmount: 0 });
  expect(await world.postings(id)).toEqual(captured);
});
