import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../src/kit/clock.ts';
import { purgeIdempotencyRecords } from '../../src/write/idempotency.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2026-03-01T00:00:00Z'));
const hourMs = 3_600_000;
let platform: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  account = await (await seedPartner(platform)).account();
});
afterAll(() => platform?.close());

const create = (key: string, email: string) =>
  account.api.call('/customers/create', { email }, { headers: { 'Idempotency-Key': key } });
const purge = () => purgeIdempotencyRecords(platform.services.pool, clock.now());

test('7.20 an answer is kept for 24 hours, whenever the job runs', async () => {
  const first = await create('kept', 'kept@example.com');
  clock.advance(24 * hourMs);
  expect(await purge()).toBe(0);
  const again = await create('kept', 'kept@example.com');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('7.21 after 24 hours the job purges it, and the key can be used again', async () => {
  await create('removed', 'removed@example.com');
  clock.advance(25 * hourMs + 1);
  expect(await purge()).toBeGreaterThan(0);
  const other = await create('removed', 'other@example.com');
  expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

test('7.22 the record of a call in progress is kept at any age, until its outcome is stored', async () => {
  await platform.services.pool.query(
    `INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt")
      VALUES ('tpa_x', 'processPayment', 'running', 'hash', 'pay_x', $1)`,
    [clock.now()],
  );
  clock.advance(100 * hourMs);
  await purge();
  const { rows } = await platform.services.pool.query(`SELECT 1 FROM idempotency_records WHERE key = 'running'`);
  expect(rows).toHaveLength(1);
});
