import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/jobs.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { dayMs, passTo, priceOf } from '../support/subscriptions.ts';

/** PostgreSQL tries a plan for the values of each call five times before it decides whether to keep one for all. */
const triesMax = 5;
const times = 8;

const clock = manualClock(new Date());
let platform: TestPlatform;
let receiver: Receiver;
let account: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await liftRates(platform);
  receiver = await startReceiver();
  account = await (await seedPartner(platform)).account();
  await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/created', 'payment/succeeded'] });
});
afterAll(async () => {
  await receiver?.close();
  await platform?.close();
});

interface Prepared {
  statement: string;
  calls: number;
  kept: number;
}

/** The prepared statements of every connection of the pool, without the time since they were prepared. */
async function preparedStatements(): Promise<Prepared[]> {
  const { pool } = platform.services;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  const prepared: Prepared[] = [];
  for (const client of clients) {
    const { rows } = await client.query<Prepared>(
      `SELECT statement, (generic_plans + custom_plans)::int AS calls, generic_plans::int AS kept
      FROM pg_prepared_statements`,
    );
    prepared.push(...rows);
    client.release();
  }
  return prepared;
}

test('no statement of charge, capture, void, refund, renewal and delivery is planned at every call', async () => {
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const charge = (more: object = {}) =>
    account.api.ok(
      '/payments/process',
      { paymentInstrumentId, amount: 2500, currency: 'USD', ...more },
      { headers: { 'Idempotency-Key': `${Math.random()}` } },
    );
  const priceId = await priceOf(account);
  await account.api.ok('/subscriptions/create', { customerId, priceId });
  for (let time = 0; time < times; time++) {
    const { payment } = await charge();
    await account.api.ok('/payments/refund', { paymentId: payment.id, amount: 500 });
    const captured = await charge({ mode: 'auth' });
    await account.api.ok('/payments/capture', { paymentId: captured.payment.id });
    const voided = await charge({ mode: 'auth' });
    await account.api.ok('/payments/void', { paymentId: voided.payment.id });
    await passTo(platform, clock, new Date(clock.now().getTime() + 31 * dayMs));
    await deliverWebhooks(platform.services);
  }
  const prepared = await preparedStatements();
  expect(prepared.filter(({ statement, kept }) => kept > 0 && statement.includes('ended AS'))).not.toEqual([]);
  expect(prepared.filter(({ statement, kept }) => kept > 0 && statement.includes('intended AS'))).not.toEqual([]);
  const replanned = prepared.filter(({ calls, kept }) => calls > triesMax && kept === 0);
  expect(replanned.map(({ statement }) => statement)).toEqual([]);
});
