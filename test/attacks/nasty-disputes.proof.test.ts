import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dispute } from '../support/stripe/ledger.ts';
import { seconds } from '../support/stripe/ledger.ts';
import { openDispute } from '../support/stripe/money.ts';
import { type NastyWorld, startNastyWorld } from '../support/stripe/nasty-world.ts';

let world: NastyWorld;
beforeAll(async () => {
  world = await startNastyWorld();
});
afterAll(() => world?.close());

const created = 'charge.dispute.created';
const updated = 'charge.dispute.updated';
const closed = 'charge.dispute.closed';
const refund = (paymentId: string, amount?: number) =>
  world.account.api.call('/payments/refund', { paymentId, ...(amount !== undefined && { amount }) });
const disputeOf = (intentId: string, change: Partial<Dispute> = {}): Dispute => ({
  ...openDispute(world.ledger, intentId, {}),
  ...change,
});
const start = seconds();
/** Stripe counts seconds. The notices of a story state theirs, so that their order is certain. */
const at = (second: number) => ({ created: start + second });
const stopped = { status: 409, body: { data: { reason: 'invalid_state', code: 'PAYMENT_DISPUTED' } } };
const applied = { status: 200, result: 'applied' };

describe('a dispute is recorded, whatever the processor says', () => {
  test('above the captured amount: the excess is a loss, and 409 for a refund', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 1500 });
    expect(await world.tell(created, dispute)).toEqual(applied);
    const [recorded] = await world.disputes(id);
    expect(recorded).toMatchObject({ amount: 1500, currency: 'USD', status: 'needs_response' });
    expect(await world.eventTypes(String(recorded?.['id']))).toEqual(['dispute/created']);
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 500',
      'disputes USD 1000',
      'merchant_balance USD -1000',
      'processor_receivable USD -500',
    ]);
    for (const amount of [1, 1000, undefined]) expect(await refund(id, amount)).toMatchObject(stopped);
    await world.tell(closed, { ...dispute, status: 'won' });
    expect(await world.postings(id)).toEqual(['merchant_balance USD -1000', 'processor_receivable USD 1000']);
  });

  test('in another currency: recorded and posted in it, refunds stop until it is won', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 700, currency: 'eur' });
    expect(await world.tell(created, dispute)).toEqual(applied);
    expect(await world.disputes(id)).toMatchObject([{ amount: 700, currency: 'EUR' }]);
    expect(await world.postings(id)).toEqual([
      'dispute_losses EUR 700',
      'merchant_balance USD -1000',
      'processor_receivable EUR -700',
      'processor_receivable USD 1000',
    ]);
    expect(await refund(id, 1)).toMatchObject(stopped);
    await world.tell(closed, { ...dispute, status: 'won' });
    expect(await world.postings(id)).toEqual(['merchant_balance USD -1000', 'processor_receivable USD 1000']);
  });

  test('twice in part, together above the captured amount; one won, one lost', async () => {
    const { id, intentId } = await world.charged(1000);
    const [first, second] = [disputeOf(intentId, { amount: 700 }), disputeOf(intentId, { amount: 600 })];
    await world.tell(created, first, at(0));
    await world.tell(created, second, at(0));
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 300',
      'disputes USD 1000',
      'merchant_balance USD -1000',
      'processor_receivable USD -300',
    ]);
    await world.tell(closed, { ...first, status: 'won' }, at(1));
    await world.tell(closed, { ...second, status: 'lost' }, at(1));
    expect(await world.postings(id)).toEqual([
      'disputes USD 600',
      'merchant_balance USD -1000',
      'processor_receivable USD 400',
    ]);
    expect((await world.disputes(id)).map(({ status }) => status).sort()).toEqual(['lost', 'won']);
    expect(await refund(id, 401)).toMatchObject({ status: 400 });
  });

  test('of a fully refunded payment: all of it is a loss, and it stays refunded', async () => {
    const { id, intentId } = await world.charged(1000);
    expect((await refund(id)).status).toBe(200);
    expect(await world.tell(created, disputeOf(intentId, { amount: 1000 }))).toEqual(applied);
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 1000',
      'merchant_balance USD -1000',
      'processor_receivable USD -1000',
      'refunds USD 1000',
    ]);
    expect(await world.payment(id)).toMatchObject({ status: 'refunded', refundedAmount: 1000 });
  });

  test('of a voided, an authorized and a declined payment', async () => {
    const voided = await world.charged(1000, { mode: 'auth' });
    await world.account.api.ok('/payments/void', { paymentId: voided.id });
    const held = await world.charged(1000, { mode: 'auth' });
    const declined = await world.account.charge('5105105105105100', { amount: 1000 });
    const declinedIntent = String(declined.transactions[0]?.['processorReference']);
    for (const [id, intentId] of [
      [voided.id, voided.intentId],
      [held.id, held.intentId],
      [String(declined.payment['id']), declinedIntent],
    ] as const) {
      const before = await world.payment(id);
      expect(await world.tell(created, disputeOf(intentId, { amount: 900 }))).toEqual(applied);
      expect(await world.postings(id)).toEqual(['dispute_losses USD 900', 'processor_receivable USD -900']);
      expect(await world.payment(id)).toEqual(before);
    }
    // What is captured later is what the dispute took first.
    await world.account.api.ok('/payments/capture', { paymentId: held.id });
    expect(await world.postings(held.id)).toEqual([
      'disputes USD 900',
      'merchant_balance USD -1000',
      'processor_receivable USD 100',
    ]);
  });

  test.each(['suspended', 'offboarded'])('recorded while the partner is %s, by one event', async (status) => {
    const { id, intentId } = await world.charged(1000);
    const become = (next: string) => world.platform.services.pool.query('UPDATE partners SET status = $1', [next]);
    await become(status);
    const reported = await world.tell(created, disputeOf(intentId, { amount: 400 }));
    await become('active');
    expect(reported).toEqual(applied);
    const [recorded] = await world.disputes(id);
    expect(recorded).toMatchObject({ amount: 400, status: 'needs_response' });
    expect(await world.eventTypes(String(recorded?.['id']))).toEqual(['dispute/created']);
    expect(await world.postings(id)).toContain('disputes USD 400');
  });

  test('while a refund is in flight: the loss follows what becomes of the refund', async () => {
    const { id, intentId } = await world.charged(1000);
    world.standIn.fault('answerIsLost', /POST \/v1\/refunds$/);
    expect((await refund(id)).body.refund.status).toBe('pending');
    await world.tell(created, disputeOf(intentId, { amount: 400 }));
    expect(await world.postings(id)).toContain('disputes USD 400');
    const pending = world.ledger.events.findLast(({ type }) => type === 'refund.created');
    expect(await world.send({ ...pending })).toEqual(applied);
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 400',
      'merchant_balance USD -1000',
      'processor_receivable USD -400',
      'refunds USD 1000',
    ]);
  });
});

describe('a dispute that changes', () => {
  test('amount and currency follow the last notice, by one event each', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 300 });
    await world.tell(created, dispute, at(0));
    for (let time = 0; time < 2; time++) await world.tell(updated, { ...dispute, amount: 1200 }, at(1));
    expect(await world.postings(id)).toContain('dispute_losses USD 200');
    await world.tell(updated, { ...dispute, amount: 100 }, at(2));
    await world.tell(updated, { ...dispute, amount: 1200 }, at(1)); // late
    expect(await world.postings(id)).toEqual([
      'disputes USD 100',
      'merchant_balance USD -1000',
      'processor_receivable USD 900',
    ]);
    await world.tell(updated, { ...dispute, amount: 80, currency: 'eur' }, at(3));
    expect(await world.postings(id)).toEqual([
      'dispute_losses EUR 80',
      'merchant_balance USD -1000',
      'processor_receivable EUR -80',
      'processor_receivable USD 1000',
    ]);
    const [{ id: disputeId } = {}] = await world.disputes(id);
    expect(await world.eventTypes(String(disputeId))).toEqual(['dispute/created', ...Array(3).fill('dispute/updated')]);
  });

  test('reason and deadline follow the last notice, by one event each', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId);
    const due = (days: number) => ({ evidence_details: { due_by: start + days * 86_400 } });
    const shown = (days: number) => new Date((start + days * 86_400) * 1000).toISOString();
    await world.tell(created, { ...dispute, ...due(7), reason: 'duplicate' }, at(0));
    for (const [second, change, reason, days] of [
      [1, { ...due(7), reason: 'product_not_received' }, 'product_not_received', 7],
      [2, { ...due(9), reason: 'product_not_received' }, 'product_not_received', 9],
      [2, { ...due(9), reason: 'product_not_received' }, 'product_not_received', 9], // again
      [1, { ...due(7), reason: 'duplicate' }, 'product_not_received', 9], // late
    ] as const) {
      await world.tell(updated, { ...dispute, ...change }, at(second));
      expect(await world.disputes(id)).toMatchObject([{ reason, evidenceDueAt: shown(days) }]);
    }
    const [{ id: disputeId } = {}] = await world.disputes(id);
    expect(await world.eventTypes(String(disputeId))).toEqual(['dispute/created', ...Array(2).fill('dispute/updated')]);
  });

  test('lost twice, won, reopened and lost again: the money goes with it', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 1000 });
    const statuses = ['needs_response', 'lost', 'lost', 'won', 'needs_response', 'lost'];
    for (const [second, status] of statuses.entries()) {
      expect((await world.tell(updated, { ...dispute, status }, at(second))).status).toBe(200);
      expect((await world.disputes(id))[0]).toMatchObject({ status });
      expect(await world.postings(id)).toContain(
        status === 'won' ? 'processor_receivable USD 1000' : 'disputes USD 1000',
      );
    }
    const [recorded] = await world.disputes(id);
    expect(recorded?.['closedAt']).not.toBeNull();
    expect(await world.eventTypes(String(recorded?.['id']))).toHaveLength(5);
    expect((await world.tell(updated, { ...dispute, status: 'won' }, at(3))).status).toBe(200); // late
    expect((await world.disputes(id))[0]).toMatchObject({ status: 'lost' });
  });

  test('won, refunded, and lost after all: the refund is a loss then', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 1000, status: 'won' });
    await world.tell(closed, dispute, at(0));
    const charge = [...world.ledger.charges.values()].find(({ payment_intent: intent }) => intent === intentId);
    if (charge) charge.disputed = false;
    expect((await refund(id)).body.payment).toMatchObject({ status: 'refunded' });
    await world.tell(closed, { ...dispute, status: 'lost' }, at(1));
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 1000',
      'merchant_balance USD -1000',
      'processor_receivable USD -1000',
      'refunds USD 1000',
    ]);
  });

  test('ten notices of one dispute at once: one dispute, one event', async () => {
    const { id, intentId } = await world.charged(1000);
    const dispute = disputeOf(intentId, { amount: 1500 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.tell(created, dispute, at(0))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const recorded = await world.disputes(id);
    expect(recorded).toHaveLength(1);
    expect(await world.eventTypes(String(recorded[0]?.['id']))).toEqual(['dispute/created']);
  });
});
