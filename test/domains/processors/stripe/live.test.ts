import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../../src/domains/ledger/verify-ledger.ts';
import { expireChallenges } from '../../../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { asOwner } from '../../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { withShortTimeout } from '../../../support/processor-line.ts';
import { type SeededAccount, seedPartner } from '../../../support/seed.ts';
import { eventsOf, sendEvent } from '../../../support/stripe/events.ts';
import { cancelIntent, captureIntent } from '../../../support/stripe/intents.ts';
import type { Ledger, StripeEvent } from '../../../support/stripe/ledger.ts';
import { createRefund, moveDispute, openDispute } from '../../../support/stripe/money.ts';
import { type StripeStandIn, startStripeStandIn } from '../../../support/stripe/stand-in.ts';

const key = 'sk_live_UnspokenKeyOfTheStandIn';
const secret = 'whsec_UnspokenSecretOfTheHook';
const rounds = Number(process.env['FAULTS_ROUNDS'] ?? 10);
const clock = manualClock(new Date());
const card = {
  approved: '4111111111111111',
  insufficient: '5105105105105100',
  lost: '6011000990139424',
  challenged: '4012888888881881',
};

let standIn: StripeStandIn;
let platform: TestPlatform;
let account: SeededAccount;
let processorId: string;
let ledger: Ledger;
let events: ReturnType<typeof eventsOf>;

beforeAll(async () => {
  standIn = await startStripeStandIn([key]);
  platform = await startTestPlatform({ clock, env: { STRIPE_API_BASE: standIn.url } });
  account = await (await seedPartner(platform, 'live')).account();
  processorId = (
    await account.api.ok('/processors/create', {
      name: 'Stripe',
      type: 'stripe',
      options: { secretKey: key, webhookSecret: secret },
    })
  ).id;
  ledger = standIn.ledger(key);
  events = eventsOf(ledger, target);
});
beforeEach(() => events.deliver());
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  for (const line of platform.logged)
    expect(line).not.toMatch(/Unspoken|4111111111111111|4012888888881881|client_secret|_secret_/);
  const { rows } = await platform.services.pool.query<{ text: string }>(
    `SELECT
        coalesce(string_agg(e::text, ' '), '') || (
          SELECT coalesce(string_agg(i::text, ' '), '')
          FROM idempotency_records i
        ) || (SELECT coalesce(string_agg(p::text, ' '), '') FROM payments p) AS text
      FROM events e`,
  );
  expect(rows[0]?.text).not.toMatch(/Unspoken|4111111111111111|_secret_/);
  await platform.close();
  await standIn.close();
});

const target = () => ({ url: `${platform.url}/hooks/processors/stripe?processor=${processorId}`, secret });
const read = async (id: unknown) => (await account.api.ok(`/payments/${id}`)).payment;
const intentOf = (transactions: readonly { processorReference?: unknown }[]) =>
  ledger.intents.get(String(transactions[0]?.processorReference));
const typesOf = async (objectId: unknown) =>
  (
    await platform.services.prisma.event.findMany({
      where: { objectId: String(objectId) },
      orderBy: { sequence: 'asc' },
    })
  ).map(({ type }) => type);
/** A charge whose request at Stripe is not answered. It takes two requests. */
const unanswered = () => withShortTimeout(platform, () => account.charge(card.approved), 1_000);
const send = (event: StripeEvent | undefined, change = {}) => {
  if (!event) throw new Error('Event not found.');
  return sendEvent(event, target(), change);
};

describe('a live charge', () => {
  test('200: charged and refunded in parts, in Stripe’s records and in the ledger', async () => {
    const { payment, transactions } = await account.charge(card.approved, { amount: 1000 });
    expect(payment).toMatchObject({ status: 'succeeded', subStatus: 'captured', livemode: true, processorId });
    expect(intentOf(transactions)).toMatchObject({
      status: 'succeeded',
      amount_received: 1000,
      livemode: true,
      metadata: { reference: transactions[0]?.['id'] },
    });
    expect((await account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 300 })).payment.status).toBe(
      'partially_refunded',
    );
    expect((await account.api.ok('/payments/refund', { paymentId: payment['id'] })).payment.status).toBe('refunded');
    expect([...ledger.refunds.values()].map(({ amount }) => amount).slice(-2)).toEqual([300, 700]);
  });

  test('200: authorized, captured in part; authorized, voided', async () => {
    const held = await account.charge(card.approved, { amount: 1000, mode: 'auth' });
    expect(held.payment).toMatchObject({ status: 'pending', subStatus: 'authorized' });
    expect(
      (await account.api.ok('/payments/capture', { paymentId: held.payment['id'], amount: 600 })).payment,
    ).toMatchObject({ status: 'succeeded', capturedAmount: 600 });
    expect(intentOf(held.transactions)).toMatchObject({ amount_received: 600 });
    const other = await account.charge(card.approved, { mode: 'auth' });
    expect((await account.api.ok('/payments/void', { paymentId: other.payment['id'] })).payment).toMatchObject({
      status: 'failed',
      subStatus: 'voided',
    });
    expect(intentOf(other.transactions)).toMatchObject({ status: 'canceled' });
  });

  test('declined with the codes of the contract', async () => {
    expect((await account.charge(card.insufficient)).payment).toMatchObject({
      status: 'declined',
      failureCode: 'insufficient_funds',
    });
    expect((await account.charge(card.lost)).payment).toMatchObject({ status: 'declined', failureCode: 'lost_card' });
  });

  test('failed with no_processor without a processor', async () => {
    const other = await (await seedPartner(platform, 'live')).account();
    expect((await other.charge(card.approved)).payment).toMatchObject({
      status: 'failed',
      failureCode: 'no_processor',
    });
  });

  test.each([
    'answerIsLost',
    'neverArrives',
    'fails',
  ] as const)('%s: processing until the job has queried, and charged once', async (fault) => {
    standIn.fault(fault, /POST \/v1\/payment_intents$/);
    const { payment, transactions } = await unanswered();
    expect(payment).toMatchObject({ status: 'pending', subStatus: 'processing' });
    clock.advance(15_000);
    await resolveUnknownPayments(platform.services);
    expect(await read(payment['id'])).toMatchObject({ status: 'succeeded' });
    expect(
      [...ledger.intents.values()].filter(({ metadata }) => metadata['reference'] === transactions[0]?.['id']),
    ).toHaveLength(1);
    expect(await typesOf(payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
  });
});

describe('a live challenge', () => {
  const challenged = async (more: object = {}) => {
    const { payment, transactions } = await account.charge(card.challenged, {
      returnUrl: 'https://shop.example.com/back',
      ...more,
    });
    const action = payment['requireActionData'] as { url: string; threedsSessionId: string };
    expect(payment).toMatchObject({
      status: 'pending',
      subStatus: 'requires_action',
      requireAction: 'threeds_auth',
      requireActionData: { type: 'redirect', url: `${standIn.url}/authenticate/${intentOf(transactions)?.id}` },
    });
    return { id: String(payment['id']), url: action.url, transactions, session: action.threedsSessionId };
  };

  test('200: unchanged until answered at Stripe, then charged; the redirect has none of Stripe’s secrets', async () => {
    const { id, url } = await challenged();
    expect((await account.api.ok('/payments/continue', { paymentId: id })).payment.subStatus).toBe('requires_action');
    const back = String((await standIn.answer(url, 'succeeded')).headers.get('location'));
    const { pathname, search } = new URL(back);
    const returned = await fetch(platform.url + pathname + search, { redirect: 'manual' });
    expect([returned.status, returned.headers.get('location')]).toEqual([
      303,
      `https://shop.example.com/back?paymentId=${id}`,
    ]);
    const headers = { 'Idempotency-Key': `continue-${id}` };
    const first = await account.api.call('/payments/continue', { paymentId: id }, { headers });
    expect(first.body.payment).toMatchObject({ status: 'succeeded', capturedAmount: 2500 });
    expect((await account.api.call('/payments/continue', { paymentId: id }, { headers })).body).toEqual(first.body);
    expect(await typesOf(id)).toEqual(['payment/created', 'payment/actionRequired', 'payment/succeeded']);
  });

  test('200: authorized after it, and declined when it failed', async () => {
    const held = await challenged({ mode: 'auth' });
    await standIn.answer(held.url, 'succeeded');
    expect((await account.api.ok('/payments/continue', { paymentId: held.id })).payment.subStatus).toBe('authorized');
    const failed = await challenged();
    await standIn.answer(failed.url, 'failed');
    expect((await account.api.ok('/payments/continue', { paymentId: failed.id })).payment).toMatchObject({
      status: 'declined',
      failureCode: 'authentication_failed',
    });
  });

  test('the mock page of test mode does not answer it', async () => {
    const { session } = await challenged();
    expect(
      (
        await fetch(`${platform.url}/test/3ds/${session}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"outcome":"success"}',
        })
      ).status,
    ).toBe(404);
    expect((await fetch(`${platform.url}/3ds/return/txn_none`)).status).toBe(404);
  });

  test('unanswered in time: canceled at Stripe, so that a late answer takes no money', async () => {
    const { id, url, transactions } = await challenged();
    clock.advance(31 * 60_000);
    await expireChallenges(platform.services);
    expect(await read(id)).toMatchObject({ status: 'failed', subStatus: 'authentication_expired' });
    await standIn.answer(url, 'succeeded');
    expect(intentOf(transactions)).toMatchObject({ status: 'canceled', amount_received: 0 });
    clock.set(new Date());
  });

  test('while the partner is suspended: charged if it was answered before, otherwise canceled at Stripe', async () => {
    const [answered, open] = [await challenged(), await challenged()];
    await standIn.answer(answered.url, 'succeeded');
    const become = (status: string) => platform.services.pool.query('UPDATE partners SET status = $1', [status]);
    await become('suspended');
    await expireChallenges(platform.services);
    await become('active');
    expect(await read(answered.id)).toMatchObject({ status: 'succeeded', capturedAmount: 2500 });
    expect(await read(open.id)).toMatchObject({ status: 'failed', subStatus: 'authentication_expired' });
    expect(intentOf(open.transactions)).toMatchObject({ status: 'canceled', amount_received: 0 });
  });

  test('200: the event resolves it, raced by continue, with one event', async () => {
    for (let round = 0; round < rounds; round++) {
      if (round % 50 === 0) await asOwner(platform, 'TRUNCATE limits.buckets, limits.windows, limits.field_calls');
      const { id, url } = await challenged();
      await events.deliver();
      await standIn.answer(url, 'succeeded');
      await Promise.all([
        events.deliver(),
        account.api.call('/payments/continue', { paymentId: id }),
        account.api.call('/payments/continue', { paymentId: id }),
      ]);
      expect((await read(id)).status).toBe('succeeded');
      expect(await typesOf(id)).toEqual(['payment/created', 'payment/actionRequired', 'payment/succeeded']);
    }
  });
});

describe('POST /hooks/processors/stripe', () => {
  test('401 for an invalid signature or an old timestamp; nothing changes', async () => {
    standIn.fault('answerIsLost', /POST \/v1\/payment_intents$/);
    const { payment } = await unanswered();
    const event = ledger.events.at(-1);
    expect(event?.type).toBe('payment_intent.succeeded');
    const old = Math.floor(clock.now().getTime() / 1000) - 301;
    for (const change of [
      { signature: 't=1,v1=00' },
      { signature: '' },
      { timestamp: old },
      { body: JSON.stringify(event).replace('succeeded', 'succeeded ') },
    ])
      expect((await send(event, change)).status).toBe(401);
    expect((await read(payment['id'])).subStatus).toBe('processing');
    expect(await (await send(event)).json()).toEqual({ received: true, result: 'applied' });
    expect((await read(payment['id'])).status).toBe('succeeded');
    expect(await (await send(event)).json()).toEqual({ received: true, result: 'known' });
    expect(await typesOf(payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
  });

  test('404 for another type and an unknown processor; 400 without one', async () => {
    const event = ledger.events.at(-1);
    if (!event) throw new Error('There is no event.');
    const status = async (path: string) => (await sendEvent(event, { url: platform.url + path, secret })).status;
    expect(await status(`/hooks/processors/test?processor=${processorId}`)).toBe(404);
    expect(await status('/hooks/processors/stripe?processor=proc_none')).toBe(404);
    expect(await status('/hooks/processors/stripe')).toBe(400);
  });

  test('200 and ignored: a foreign payment, another type of event, another processor than the payment’s', async () => {
    const sample = ledger.events.at(-1);
    const foreign = {
      ...sample,
      id: 'evt_foreign',
      type: 'payment_intent.succeeded',
      data: {
        object: { ...[...ledger.intents.values()][0], id: 'pi_foreign', metadata: { reference: 'txn_foreign' } },
      },
    } as StripeEvent; // of the shape of a real one
    for (const event of [foreign, { ...foreign, id: 'evt_other', type: 'customer.created' }])
      expect(await (await send(event)).json()).toEqual({ received: true, result: 'ignored' });
    standIn.fault('answerIsLost', /POST \/v1\/payment_intents$/);
    const { payment } = await unanswered();
    const other = await (await seedPartner(platform, 'live')).account();
    const { id } = await other.api.ok('/processors/create', {
      name: 'Theirs',
      type: 'stripe',
      options: { secretKey: key, webhookSecret: secret },
    });
    const event = ledger.events.at(-1);
    if (!event) throw new Error('There is no event.');
    expect(
      await (await sendEvent(event, { url: `${platform.url}/hooks/processors/stripe?processor=${id}`, secret })).json(),
    ).toEqual({ received: true, result: 'ignored' });
    expect((await read(payment['id'])).subStatus).toBe('processing');
    await events.deliver();
    expect((await read(payment['id'])).status).toBe('succeeded');
  });

  test('an event that is faster than the answer, or at the same time: one winner, one event', {
    timeout: 60_000 + rounds * 1_000,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      if (round % 50 === 0) await asOwner(platform, 'TRUNCATE limits.buckets, limits.windows, limits.field_calls');
      await events.deliver();
      standIn.beforeAnswer =
        round % 2 === 0 ? async () => void (await events.deliver()) : async () => void events.deliver();
      const { payment } = await account.charge(card.approved);
      expect(payment['status']).toBe('succeeded');
      expect(await typesOf(payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
      const held = String((await account.charge(card.approved, { mode: 'auth' })).payment['id']);
      const [captured] = await Promise.all([
        account.api.call('/payments/capture', { paymentId: held }),
        account.api.call('/payments/void', { paymentId: held }),
      ]);
      standIn.beforeAnswer = null;
      await events.deliver();
      const after = await read(held);
      expect(after.subStatus).toBe(captured.status === 200 ? 'captured' : 'voided');
      expect(await typesOf(held)).toEqual([
        'payment/created',
        'payment/authorized',
        captured.status === 200 ? 'payment/captured' : 'payment/voided',
      ]);
    }
  });

  test('captured, voided and refunded in the Stripe dashboard: imported once, and posted', async () => {
    const [captured, voided] = [
      await account.charge(card.approved, { mode: 'auth' }),
      await account.charge(card.approved, { mode: 'auth' }),
    ];
    await events.deliver();
    captureIntent(ledger, intentOf(captured.transactions)?.id ?? '', { amount_to_capture: '2000' });
    cancelIntent(ledger, intentOf(voided.transactions)?.id ?? '', {});
    createRefund(ledger, { payment_intent: intentOf(captured.transactions)?.id ?? '', amount: '500' });
    const from = ledger.events.length - 5;
    expect(new Set(await events.deliver())).toEqual(new Set([200]));
    for (const event of ledger.events.slice(from)) await send({ ...event, id: `${event.id}again` });
    expect(await read(captured.payment['id'])).toMatchObject({
      status: 'partially_refunded',
      capturedAmount: 2000,
      refundedAmount: 500,
    });
    expect(await read(voided.payment['id'])).toMatchObject({ status: 'failed', subStatus: 'voided' });
    expect(await typesOf(captured.payment['id'])).toEqual([
      'payment/created',
      'payment/authorized',
      'payment/captured',
      'payment/refunded',
    ]);
  });

  test('a dispute opened and won, reported in the wrong order', async () => {
    const { payment, transactions } = await account.charge(card.approved, { amount: 900 });
    const opened = openDispute(ledger, intentOf(transactions)?.id ?? '', {
      amount: 900,
      reason: 'product_not_received',
    });
    await events.deliver();
    const { items } = await account.api.ok('/disputes/list', { filters: { paymentId: payment['id'] } });
    expect(items).toMatchObject([
      {
        amount: 900,
        status: 'needs_response',
        reason: 'product_not_received',
        processorReference: opened.id,
        livemode: true,
      },
    ]);
    expect((await account.api.call('/payments/refund', { paymentId: payment['id'] })).status).toBe(409);
    moveDispute(ledger, opened.id, 'under_review');
    moveDispute(ledger, opened.id, 'won');
    const [review, won] = ledger.events.slice(-2);
    expect((await send(won)).status).toBe(200);
    expect((await send(review)).status).toBe(200);
    expect((await account.api.ok(`/disputes/${items[0].id}`)).status).toBe('won');
    expect(await typesOf(items[0].id)).toEqual(['dispute/created', 'dispute/updated']);
  });

  test('an inquiry takes no money and is ignored', async () => {
    const { payment, transactions } = await account.charge(card.approved);
    openDispute(ledger, intentOf(transactions)?.id ?? '', { status: 'warning_needs_response' });
    await events.deliver();
    expect((await account.api.ok('/disputes/list', { filters: { paymentId: payment['id'] } })).total).toBe(0);
  });
});
