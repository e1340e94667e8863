import { expect, test } from 'vitest';
import { sumDays } from '../../../../src/domains/ledger/figures/sum-days.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { usePlatform } from '../../../support/platform.ts';
import { seedPartner } from '../../../support/seed.ts';

const clock = manualClock(new Date('2026-05-01T10:00:00Z'));
const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();

test('a day is summed an hour after its end, and not a millisecond before', async () => {
  await account.charge('tok_visa', { amount: 1000 });
  const kept = async () =>
    (await platform.services.pool.query('SELECT day::text, volume::int FROM counters.daily_figures')).rows;
  clock.set(new Date('2026-05-02T00:59:59.999Z'));
  expect([await sumDays(platform.services), await kept()]).toEqual([0, []]);
  clock.advance(1);
  expect([await sumDays(platform.services), await kept()]).toEqual([1, [{ day: '2026-05-01', volume: 1000 }]]);
});
