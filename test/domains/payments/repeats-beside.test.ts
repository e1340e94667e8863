import { beforeEach, describe, expect, test } from 'vitest';
import { setWaits } from '../../../src/database/waits.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import type { Answer } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

let account: SeededAccount;
/** Holds the answers of the processor back until it is called. */
let answerNow: () => void = () => {};
let held: Promise<void> = Promise.resolve();
let requested = 0;

const platform = await usePlatform({ env: { DATABASE_POOL_SIZE: '20' } });
// A first call waits for its lock longer than any repeat.
setWaits(platform.services.pool, { runningCallMs: 400, lockMs: 60_000 });
// a Map at run time; only the server must not change it
const processors = platform.services.processors as Map<string, CardProcessor>;
const real = processors.get('test') as CardProcessor;
const late =
  <Requested, Result>(call: (question: Requested) => Promise<Result>) =>
  async (question: Requested): Promise<Result> => {
    requested += 1;
    await held;
    return call(question);
  };
processors.set('test', { ...real, authorize: late(real.authorize), refund: late(real.refund) });
beforeEach(async () => {
  account = await (await seedPartner(platform)).account();
});

const inUse = [409, { reason: 'idempotency_key_in_use' }];
const summary = ({ status, body }: Answer) => [status, body.data];
let keys = 0;

interface Call {
  path: string;
  body: object;
  key: string;
}
const callOf = (path: string, body: object): Call => ({ path, body, key: `beside-${++keys}` });
const send = ({ path, body, key }: Call) => account.api.call(path, body, { headers: { 'Idempotency-Key': key } });

/** Sends calls of which each waits for the processor, changes the facts, and repeats them before and after the answer. */
async function expectFirstAnswers(calls: readonly Call[], change: () => Promise<unknown> = async () => {}) {
  requested = 0;
  held = new Promise((answer) => (answerNow = answer));
  const running = calls.map(send);
  const tooEarly = Promise.race(running).then((answer) => {
    throw new Error(`A call was answered without the processor: ${JSON.stringify(answer.body)}`);
  });
  tooEarly.catch(() => {});
  while (requested < calls.length) await Promise.race([tooEarly, new Promise(setImmediate)]);
  await change();
  const beside = (await Promise.all(calls.map(send))).map(summary);
  answerNow();
  const firsts = await Promise.all(running);
  expect(beside).toEqual(calls.map(() => inUse));
  const later = await Promise.all(calls.map(send));
  expect(firsts.map(({ status }) => status)).toEqual(calls.map(() => 200));
  expect(later.map(({ body }) => body)).toEqual(firsts.map(({ body }) => body));
  expect(later.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(calls.map(() => 'true'));
  return firsts;
}

const sql = (text: string, ...values: unknown[]) => platform.services.pool.query(text, values);

describe('a repeat beside its first call is 409 idempotency_key_in_use, and gets the first answer later', () => {
  test('of charges: the order is taken by its own payment, the card deleted, the account suspended, the store another', async () => {
    const { id: paymentInstrumentId } = await account.instrument();
    const { id: deleted } = await account.instrument();
    const order = await account.api.ok('/orders/create', {
      currency: 'USD',
      items: [{ name: 'Mug', quantity: 1, unitAmount: 700 }],
    });
    const charge = { paymentInstrumentId, amount: 700, currency: 'USD' };
    const calls = [{ orderId: order.id }, { paymentInstrumentId: deleted }, {}, { metadata: { n: 1 } }].map((more) =>
      callOf('/payments/process', { ...charge, ...more }),
    );
    const [paid] = await expectFirstAnswers(calls, async () => {
      await account.api.ok(`/payment-instruments/${deleted}`, undefined, { method: 'DELETE' });
      await account.api.ok('/stores/create', { name: 'Second' });
      await sql(`UPDATE processing_accounts SET status = 'suspended' WHERE id = $1`, account.id);
    });
    expect([paid?.body.payment.status, paid?.body.payment.orderId]).toEqual(['succeeded', order.id]);
  });

  test('of refunds of several payments: what was under way is no result', async () => {
    const paymentIds = [];
    for (let n = 0; n < 2; n++) paymentIds.push((await account.charge()).payment['id']);
    const [refunded] = await expectFirstAnswers([callOf('/payments/refund', { paymentIds })]);
    expect(refunded?.body.results.map(({ refund }: any) => refund?.status)).toEqual(['succeeded', 'succeeded']);
  });

  test('of calls that charge a subscription: none answers what is only on its way', async () => {
    const { customerId } = await account.instrument();
    const priceId = await priceOf(account);
    const yearly = await priceOf(account, { amount: 36_500, interval: 'year' });
    const subscribe = async () => (await account.api.ok('/subscriptions/create', { customerId, priceId })).id;
    const [toRebill, toUpdate, toResume] = [await subscribe(), await subscribe(), await subscribe()];
    await account.api.ok('/subscriptions/pause', { subscriptionId: toResume });
    await sql(
      `UPDATE subscriptions SET "currentPeriodStart" = now() - interval '40 days',
        "currentPeriodEnd" = now() - interval '10 days' WHERE id = $1`,
      toResume,
    );
    const [created, ...others] = await expectFirstAnswers([
      callOf('/subscriptions/create', { customerId, priceId }),
      callOf('/subscriptions/rebill', { subscriptionId: toRebill }),
      callOf('/subscriptions/update', { subscriptionId: toUpdate, priceId: yearly }),
      callOf('/subscriptions/resume', { subscriptionId: toResume }),
    ]);
    expect([created?.body.status, created?.body.latestPayment.status]).toEqual(['active', 'succeeded']);
    for (const { body } of others) expect(body.latestPayment.status).toBe('succeeded');
    expect(others[1]?.body.priceId).toBe(yearly);
  });

  test('of cancellations of several subscriptions', async () => {
    const { customerId } = await account.instrument();
    const priceId = await priceOf(account);
    const subscriptionIds: string[] = [];
    for (let n = 0; n < 2; n++)
      subscriptionIds.push((await account.api.ok('/subscriptions/create', { customerId, priceId })).id);
    const client = await platform.services.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM subscriptions WHERE id = $1 FOR UPDATE', [subscriptionIds[1]]);
    const call = callOf('/subscriptions/cancel', { subscriptionIds });
    const first = send(call);
    const waiting = `SELECT 1 FROM subscriptions WHERE id = $1 AND status = 'canceled'`;
    while ((await sql(waiting, subscriptionIds[0])).rows.length === 0);
    const beside = send(call);
    const outcome = await Promise.race([beside, first]);
    await client.query('ROLLBACK');
    client.release();
    expect(summary(outcome)).toEqual(inUse);
    const answers = [await first, await beside].map(summary);
    expect(answers).toContainEqual(inUse);
    const done = await send(call);
    expect(done.body.results.map(({ subscription }: any) => subscription?.status)).toEqual(['canceled', 'canceled']);
    expect((await send(call)).body).toEqual(done.body);
  });
});
