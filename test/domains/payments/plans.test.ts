import { afterAll, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { beginWriteStory } from '../../bench/write-story.ts';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { startReceiver } from '../../support/receiver.ts';
import { seedPartner } from '../../support/seed.ts';

/** PostgreSQL tries a plan for the values of each call five times before it decides whether to keep one for all. */
const triesMax = 5;
const times = 8;

const clock = manualClock(new Date());

/** One connection: each call repeats its statements on the same one, whatever else the machine does. */
const platform = await usePlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true', DATABASE_POOL_SIZE: '1' } });
await disableRateLimits(platform);
const receiver = await startReceiver();
const account = await (await seedPartner(platform)).account();
afterAll(async () => {
  await receiver?.close();
});

interface Prepared {
  statement: string;
  calls: number;
  kept: number;
}

/** The prepared statements of the connection. */
async function preparedStatements(): Promise<Prepared[]> {
  const { rows } = await platform.services.pool.query<Prepared>(
    `SELECT statement, (generic_plans + custom_plans)::int AS calls, generic_plans::int AS kept
    FROM pg_prepared_statements`,
  );
  return rows;
}

test('no statement of charge, capture, void, refund, renewal and delivery is planned at every call', async () => {
  const { api, storeId } = account;
  const once = await beginWriteStory({ services: platform.services, clock, api, storeId, receiverUrl: receiver.url });
  for (let time = 0; time < times; time++) await once();
  const prepared = await preparedStatements();
  expect(prepared.filter(({ statement, kept }) => kept > 0 && statement.includes('ended AS'))).not.toEqual([]);
  expect(prepared.filter(({ statement, kept }) => kept > 0 && statement.includes('intended AS'))).not.toEqual([]);
  const replanned = prepared.filter(({ calls, kept }) => calls > triesMax && kept === 0);
  expect(replanned.map(({ statement }) => statement)).toEqual([]);
});
