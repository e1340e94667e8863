import { expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { jobsOf } from '../../../src/registry.ts';
import { asOwner } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date('2026-03-01T00:00:00Z'));
const more = 10_001;

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();
await account.instrument('4242424242424242');

test.each([
  [
    'purge-old-rows',
    `INSERT INTO idempotency_records (owner, operation, key, "requestHash", "createdAt", answer)
     SELECT 'tpa_x', 'processPayment', 'old-' || n, 'hash', '2026-01-01', '{}' FROM generate_series(1, ${more}) n`,
    `SELECT count(*)::int AS n FROM idempotency_records WHERE key LIKE 'old-%'`,
  ],
  [
    'purge-old-rows',
    `INSERT INTO processor_events ("processorId", "eventId", "receivedAt")
     SELECT 'proc_x', 'evt_' || n, '2025-12-01' FROM generate_series(1, ${more}) n`,
    'SELECT count(*)::int AS n FROM processor_events',
  ],
  [
    'purge-expired-cvcs',
    `INSERT INTO vault.cards
     SELECT (jsonb_populate_record(c, jsonb_build_object('id', c.id || n, 'cvcExpiresAt', '2026-02-28T00:00:00Z'))).*
     FROM vault.cards c, generate_series(1, ${more}) n`,
    'SELECT count(*)::int AS n FROM vault.cards WHERE "cvcExpiresAt" < \'2026-03-01\'',
  ],
])('one run of %s leaves nothing behind, however much there is', async (name, fill, count) => {
  await asOwner(platform, fill);
  expect((await asOwner(platform, count)).rows).toEqual([{ n: more }]);
  const job = jobsOf(platform.services).find((one) => one.name === name);
  await job?.run(new AbortController().signal);
  expect((await asOwner(platform, count)).rows).toEqual([{ n: 0 }]);
});
