import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processorEventsDomain } from '../../src/domains/processor-events/domain.ts';
import { retryWaitingEvents } from '../../src/domains/processor-events/receive-event.ts';
import { purgeOldRows } from '../../src/jobs/retention.ts';
import { seedPartner } from '../support/seed.ts';
import { sendEvent } from '../support/stripe/events.ts';
import { captureIntent } from '../support/stripe/intents.ts';
import type { Intent, StripeEvent } from '../support/stripe/ledger.ts';
import { createRefund, openDispute } from '../support/stripe/money.ts';
import { approvedCard, type NastyWorld, startNastyWorld } from '../support/stripe/nasty-world.ts';

let world: NastyWorld;
beforeAll(async () => {
  world = await startNastyWorld();
});
afterAll(() => world?.close());

const rejected = { status: 200, result: 'rejected' };
const known = { status: 200, result: 'known' };
const waiting = { status: 200, result: 'waiting' };
const refunding = 'refund.created';
const succeeded = 'payment_intent.succeeded';

/** What operators see of the last event that was not applied. */
const lastUnapplied = async () =>
  world.platform.services.prisma.unappliedEvent.findFirst({
    where: { processorId: world.processorId },
    orderBy: [{ receivedAt: 'desc' }, { updatedAt: 'desc' }],
    select: { eventId: true, status: true, reason: true },
  });
const reasonOf = async (eventId: string) =>
  (await world.platform.services.prisma.unappliedEvent.findFirst({ where: { eventId } }))?.reason;
const lastEvent = (): StripeEvent => {
  const event = world.ledger.events.at(-1);
  if (!event) throw new Error('There is no event.');
  return event;
};
/** A charge whose answer is lost, and the event that tells its success. */
const unanswered = async () => {
  // The client of Stripe repeats a request once whose connection broke.
  world.standIn.fault('lineBreaks', /POST \/v1\/payment_intents$/, 2);
  const { payment } = await world.account.charge(approvedCard, { amount: 1000 });
  const event = world.ledger.events.findLast(({ type }) => type === succeeded);
  if (!event) throw new Error('There is no event.');
  return { id: String(payment['id']), event, intent: event.data.object as Intent };
};

describe('an event that contradicts what is stored changes nothing, is kept for operators, and 200', () => {
  test('of the other mode, without a mode, of another account', async () => {
    const { id, event } = await unanswered();
    for (const [change, reason] of [
      [{ livemode: false }, 'mode_mismatch'],
      [{ livemode: undefined }, 'mode_mismatch'],
      [{ livemode: 'true' }, 'mode_mismatch'],
      [{ account: 'acct_another' }, 'account_mismatch'],
    ] as const) {
      const eventId = `evt_${Math.random().toString(36).slice(2)}`;
      expect(await world.send({ ...event, ...change, id: eventId })).toEqual(rejected);
      expect(await world.send({ ...event, ...change, id: eventId })).toEqual(known);
      expect(await reasonOf(eventId)).toBe(reason);
    }
    expect(await world.payment(id)).toMatchObject({ status: 'pending', subStatus: 'processing' });
    expect(await world.send(event)).toEqual({ status: 200, result: 'applied' });
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded' });
  });

  test('a success of another amount, in another currency, of less than the amount', async () => {
    const { id, event, intent } = await unanswered();
    for (const [change, reason] of [
      [{ amount: 999, amount_received: 999 }, 'amount_mismatch'],
      [{ amount: 100_000, amount_received: 100_000 }, 'amount_mismatch'],
      [{ amount_received: 1 }, 'amount_mismatch'],
      [{ currency: 'eur' }, 'currency_mismatch'],
      [{ amount: '1000', amount_received: '1000' }, 'malformed'],
      [{ currency: 7 }, 'malformed'],
      [{ metadata: null }, 'malformed'],
      [{ id: null }, 'malformed'],
    ] as const) {
      expect(await world.tell(succeeded, { ...intent, ...change })).toEqual(rejected);
      expect(await lastUnapplied()).toMatchObject({ status: 'rejected', reason });
    }
    expect(await world.payment(id)).toMatchObject({ status: 'pending' });
    await world.send(event);
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded', capturedAmount: 1000 });
  });

  test('a success that names a charge of another account', async () => {
    const other = await world.charged(500);
    const { id, event, intent } = await unanswered();
    expect(await world.tell(succeeded, { ...intent, id: other.intentId })).toEqual(rejected);
    expect(await lastUnapplied()).toMatchObject({ reason: 'charge_mismatch' });
    expect(await world.payment(id)).toMatchObject({ status: 'pending' });
    await world.send(event);
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded' });
  });

  test('a refund of another amount or currency, above the capture, of a reference of another account', async () => {
    const { id, intentId } = await world.charged(1000);
    const other = await world.charged(1000);
    await world.account.api.ok('/payments/refund', { paymentId: other.id, amount: 100 });
    const foreign = [...world.ledger.refunds.values()].at(-1);
    const own = createRefund(world.ledger, { payment_intent: intentId, amount: '300' });
    for (const [change, reason] of [
      [{ currency: 'eur' }, 'currency_mismatch'],
      [{ amount: 1001 }, 'amount_mismatch'],
      [{ amount: -5 }, 'malformed'],
      [{ amount: '300' }, 'malformed'],
      [{ metadata: foreign?.metadata }, 'charge_mismatch'],
      [{ id: foreign?.id }, 'charge_mismatch'],
    ] as const) {
      expect(await world.tell(refunding, { ...own, ...change })).toEqual(rejected);
      expect(await lastUnapplied()).toMatchObject({ reason });
    }
    expect(await world.payment(id)).toMatchObject({ status: 'succeeded', refundedAmount: 0 });
    expect(await world.tell(refunding, own)).toEqual({ status: 200, result: 'applied' });
    // It changes its amount later, and one that is not its own fails it.
    expect(await world.tell('refund.failed', { ...own, amount: 200, status: 'failed' })).toEqual(rejected);
    expect(await world.payment(id)).toMatchObject({ status: 'partially_refunded', refundedAmount: 300 });
  });

  test("a dispute under the id of another payment's, of nothing, and with amounts that are none", async () => {
    const [first, second] = [await world.charged(1000), await world.charged(1000)];
    const dispute = openDispute(world.ledger, first.intentId, { amount: 100 });
    await world.tell('charge.dispute.created', dispute);
    for (const [change, reason] of [
      [{ payment_intent: second.intentId }, 'charge_mismatch'],
      [{ amount: 0 }, 'malformed'],
      [{ amount: 1e300 }, 'malformed'],
      [{ amount: 9_000_000_000_000_001 }, 'amount_mismatch'],
      [{ amount: null }, 'malformed'],
      [{ id: { nested: true } }, 'malformed'],
      [{ evidence_details: { due_by: 'soon' } }, 'malformed'],
    ] as const) {
      expect(await world.tell('charge.dispute.updated', { ...dispute, ...change })).toEqual(rejected);
      expect(await lastUnapplied()).toMatchObject({ reason });
    }
    expect(await world.disputes(second.id)).toEqual([]);
    expect(await world.disputes(first.id)).toMatchObject([{ amount: 100 }]);
  });

  test('a body that is no event, signed: kept by its hash; 401 unsigned', async () => {
    for (const body of [
      '{"id":"evt_1","type":"refund.fa',
      '[]',
      'null',
      '"text"',
      '<html></html>',
      '{}',
      '{"object":"v2.core.event"}',
    ]) {
      const target = { url: `${world.platform.url}/hooks/processors/stripe?processor=${world.processorId}` };
      const signed = await sendSigned(target.url, body);
      expect([signed.status, await signed.json()], body).toEqual([200, { received: true, result: 'rejected' }]);
      const unsigned = await sendEvent(lastEvent(), { ...target, secret: 'whsec_other' }, { body });
      expect(unsigned.status).toBe(401);
    }
  });
});

const sendSigned = async (url: string, payload: string) => {
  const { default: Stripe } = await import('stripe');
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: world.webhookSecret }),
    },
    body: payload,
  });
};

test('413 for a body above 256 KiB, 200 at the bound', async () => {
  const url = `${world.platform.url}/hooks/processors/stripe?processor=${world.processorId}`;
  expect((await sendSigned(url, `{"id":"evt_1","filler":"${'x'.repeat(256 * 1024)}"}`)).status).toBe(413);
  expect((await sendSigned(url, 'x'.repeat(256 * 1024))).status).toBe(200);
});

describe('an event that is faster than what it is about waits', () => {
  test('a dispute and a refund before the charge is known', async () => {
    const { id, event, intent } = await unanswered();
    const refund = createRefund(world.ledger, { payment_intent: intent.id, amount: '300' });
    expect(await world.tell(refunding, refund)).toEqual(waiting);
    const dispute = openDispute(world.ledger, intent.id, { amount: 1200 });
    expect(await world.tell('charge.dispute.created', dispute)).toEqual(waiting);
    expect(await world.disputes(id)).toEqual([]);
    await world.send(event);
    world.clock.advance(10_000);
    await Promise.all([retryWaitingEvents(world.platform.services), retryWaitingEvents(world.platform.services)]);
    expect(await world.disputes(id)).toMatchObject([{ amount: 1200, status: 'needs_response' }]);
    expect(await world.postings(id)).toEqual([
      'dispute_losses USD 500',
      'disputes USD 700',
      'merchant_balance USD -1000',
      'processor_receivable USD -500',
      'refunds USD 300',
    ]);
    expect(await world.eventTypes(id)).toEqual(['payment/created', 'payment/succeeded', 'payment/refunded']);
    expect(await lastUnapplied()).toMatchObject({ status: 'applied' });
  });

  test('a refund of the dashboard before its capture', async () => {
    const { id, intentId } = await world.charged(1000, { mode: 'auth' });
    captureIntent(world.ledger, intentId, { amount_to_capture: '800' });
    const capture = lastEvent();
    const refund = createRefund(world.ledger, { payment_intent: intentId, amount: '300' });
    expect(await world.tell(refunding, refund)).toEqual(waiting);
    expect(await world.send(capture)).toEqual({ status: 200, result: 'applied' });
    world.clock.advance(10_000);
    await retryWaitingEvents(world.platform.services);
    expect(await world.payment(id)).toMatchObject({ capturedAmount: 800, refundedAmount: 300 });
  });

  test('a charge of another account: waits less and less often, for three days', async () => {
    const { intentId } = await world.charged(1000);
    const dispute = { ...openDispute(world.ledger, intentId, {}), payment_intent: 'pi_ofOtherSoftware' };
    expect(await world.tell('charge.dispute.created', dispute)).toEqual(waiting);
    const { eventId = '' } = (await lastUnapplied()) ?? {};
    const read = () => world.platform.services.prisma.unappliedEvent.findFirst({ where: { eventId } });
    for (let tries = 0; (await read())?.status === 'waiting' && tries < 200; tries++) {
      world.clock.advance(3_600_000);
      await retryWaitingEvents(world.platform.services);
    }
    world.clock.set(new Date());
    expect(await read()).toMatchObject({ status: 'rejected', notices: null });
  });
});

test("an event of one account's processor changes nothing of another account's payments", async () => {
  const { id, event } = await unanswered();
  const other = await (await seedPartner(world.platform, 'live')).account();
  const { id: processorId } = await other.api.ok('/processors/create', {
    name: 'Theirs',
    type: 'stripe',
    options: { secretKey: 'sk_live_UnspokenKeyOfOthers', webhookSecret: world.webhookSecret },
  });
  expect((await world.send(event, processorId)).status).toBe(200);
  expect(await world.payment(id)).toMatchObject({ status: 'pending' });
  await world.send(event);
  expect(await world.payment(id)).toMatchObject({ status: 'succeeded' });
});

test('an event that was not applied is kept for 60 days', async () => {
  const { event } = await unanswered();
  const eventId = 'evt_kept_for_60_days';
  expect(await world.send({ ...event, livemode: false, id: eventId })).toEqual(rejected);
  await world.send(event);
  const isKept = async () => {
    await purgeOldRows(world.platform.services, processorEventsDomain.keeps);
    return (await reasonOf(eventId)) !== undefined;
  };
  world.clock.advance(60 * 86_400_000);
  expect(await isKept()).toBe(true);
  world.clock.advance(1);
  expect(await isKept()).toBe(false);
  world.clock.set(new Date());
});
