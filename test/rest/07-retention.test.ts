import { expect, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { purgeOldRows } from '../../src/jobs/retention.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { keeps } from '../../src/registry.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';

const clock = manualClock(new Date('2026-03-01T00:00:00Z'));
const hourMs = 3_600_000;

const platform = await usePlatform({ clock });
setWaits(platform.services.pool, { runningCallMs: 400 });
const account = await (await seedPartner(platform)).account();

const create = (key: string, email: string) =>
  account.api.call('/customers/create', { email }, { headers: { 'Idempotency-Key': key } });
const purge = () => purgeOldRows(platform.services, keeps);

test('an answer is kept for 24 hours, whenever the job runs', async () => {
  const first = await create('kept', 'kept@example.com');
  clock.advance(24 * hourMs);
  await purge();
  const again = await create('kept', 'kept@example.com');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('after 24 hours the job purges it, and the key can be used again', async () => {
  await create('removed', 'removed@example.com');
  clock.advance(25 * hourMs + 1);
  expect(await purge()).toBeGreaterThan(0);
  const other = await create('removed', 'other@example.com');
  expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

/** Records without an answer, by their keys. */
async function unanswered(): Promise<string[]> {
  const { rows } = await platform.services.pool.query<{ key: string }>(
    'SELECT key FROM idempotency_records WHERE answer IS NULL ORDER BY key',
  );
  return rows.map(({ key }) => key);
}

test('a record without an answer is kept at any age while its charge or refund is in flight, then 24 hours', async () => {
  const { pool } = platform.services;
  const { payment, transactions } = await account.charge();
  const subjects = [
    ['charge', payment['id']],
    ['refund', transactions[0]?.['id']],
    ['none', null],
    ['unknown', 'pay_unknown'],
  ];
  for (const [key, subject] of subjects)
    await pool.query(
      `INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt")
        VALUES ('tpa_x', 'processPayment', $1, 'hash', $2, $3)`,
      [key, subject, clock.now()],
    );
  const setStatus = (status: unknown) =>
    pool.query('UPDATE transactions SET status = $1 WHERE "paymentId" = $2', [status, payment['id']]);
  await setStatus('processing');
  clock.advance(24 * hourMs);
  await purge();
  expect(await unanswered()).toEqual(['charge', 'none', 'refund', 'unknown']);
  clock.advance(100 * hourMs);
  await purge();
  expect(await unanswered()).toEqual(['charge', 'refund']);
  await setStatus(transactions[0]?.['status']);
  await purge();
  expect(await unanswered()).toEqual([]);
});

test('409 for a repeat at any age while the charge of a subscription is in flight: no second subscription', async () => {
  const { pool, prisma } = platform.services;
  const { customerId } = await account.instrument('4000000000006975'); // its outcome stays unknown
  const priceId = await priceOf(account);
  const subscribe = () =>
    account.api.call(
      '/subscriptions/create',
      { customerId, priceId },
      { headers: { 'Idempotency-Key': 'subscribed' } },
    );
  const first = await subscribe();
  expect(await prisma.subscription.count()).toBe(1);
  // The answer was not stored: the process died beside its processor.
  await pool.query(
    `UPDATE idempotency_records SET answer = NULL WHERE operation = 'createSubscription:answer' AND key = 'subscribed'`,
  );
  const { rows } = await pool.query(`SELECT status FROM transactions WHERE status = 'processing'`);
  expect([first.status, rows.length]).toEqual([200, 1]);
  clock.advance(100 * hourMs);
  await purge();
  const beside = await subscribe();
  expect([beside.status, beside.body.data?.reason]).toEqual([409, 'idempotency_key_in_use']);
  expect(await prisma.subscription.count()).toBe(1);
  await pool.query(`UPDATE transactions SET status = 'failed' WHERE status = 'processing'`);
  await purge();
  await purge();
  const { rows: left } = await pool.query(`SELECT operation FROM idempotency_records WHERE key = 'subscribed'`);
  expect(left).toEqual([]);
});
