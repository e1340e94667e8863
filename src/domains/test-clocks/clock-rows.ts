import { noSuch, visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { assertRoom, write } from '../../unit-of-work/write.ts';
import { ownerAt } from '../stores/public.ts';
import type { CreateTestClockInput } from './types.ts';

/** The first and the last time a clock may show. */
export const clockSpan = {
  first: new Date('2000-01-01T00:00:00.000Z'),
  last: new Date('2100-01-01T00:00:00.000Z'),
} as const;

/** The clock for a new customer of a store. It must belong to the account of the store. */
export async function testClockOf(
  context: TenantContext,
  { platformAccountId }: { platformAccountId: string },
  testClockId: string,
): Promise<TestClock> {
  const testClock = await visible(context, 'testClock', testClockId);
  if (testClock.platformAccountId !== platformAccountId) throw noSuch('testClock');
  return testClock;
}

/** Clocks cannot be deleted, so the limit is high. */
const testClocksMax = 1_000;

/** Adds a test clock to the account of a sub-key, or to the account of the store that a partner key names. */
export async function createTestClock(
  context: TenantContext,
  input: typeof CreateTestClockInput.$inferInput,
): Promise<TestClock> {
  const { first, last } = clockSpan;
  if (input.now < first || input.now > last)
    throw invalid('now', `must be from ${first.toISOString()} to ${last.toISOString()}`);
  const { storeId: _store, ...owner } = await ownerAt(context, input.storeId);
  return write(context, 'createTestClock', async (change) => {
    const { tx, now, audit } = change;
    await assertRoom(change, owner.platformAccountId, {
      what: 'test clocks',
      max: testClocksMax,
      count: (where) => tx.testClock.count({ where }),
    });
    const created = await tx.testClock.create({
      data: { id: newId('clock_', now), ...owner, name: input.name, now: input.now, createdAt: now, updatedAt: now },
    });
    for (const row of auditsOnBehalf(context, created.id, null, { name: created.name, now: created.now })) audit(row);
    return created;
  });
}
