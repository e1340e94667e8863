import { tenantOf, tenantWhere } from '../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../auth/visibility.ts';
import type { KeyContext, ViewerContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import { Conflict, invalid, NotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { storeOf } from '../stores/public.ts';
import type { CreateTestClockInput } from './types.ts';

/** The first and the last time a clock may show. */
export const clockSpan = {
  first: new Date('2000-01-01T00:00:00.000Z'),
  last: new Date('2100-01-01T00:00:00.000Z'),
} as const;

/** A clock that is visible to the caller, or 404. `database` is the client or a database transaction. */
export async function findTestClock(
  { caller }: Pick<KeyContext, 'caller'>,
  db: Pick<Write['tx'], 'testClock'>,
  testClockId: string,
): Promise<TestClock> {
  const testClock = await db.testClock.findFirst({ where: { ...tenantOf(caller), id: testClockId } });
  if (!testClock) throw noSuchTestClock();
  return testClock;
}

/** The clock for a new customer of a store. It must belong to the account of the store. */
export async function testClockOf(
  context: KeyContext,
  { platformAccountId }: { platformAccountId: string },
  testClockId: string,
): Promise<TestClock> {
  const testClock = await findTestClock(context, context.services.prisma, testClockId);
  if (testClock.platformAccountId !== platformAccountId) throw noSuchTestClock();
  return testClock;
}

function noSuchTestClock(): NotFound {
  return new NotFound('There is no such test clock.');
}

export async function readTestClock(context: ViewerContext, testClockId: string): Promise<TestClock> {
  const where = { ...tenantWhere(await objectVisibilityOf(context)), id: testClockId };
  const testClock = await context.services.prisma.testClock.findFirst({ where });
  if (!testClock) throw noSuchTestClock();
  return testClock;
}

/** Clocks cannot be deleted, so the limit is high. */
const testClocksMax = 1_000;

/** Adds a test clock to the account of a sub-key, or to the account of the store that a partner key names. */
export async function createTestClock(
  context: KeyContext,
  input: typeof CreateTestClockInput.$inferInput,
): Promise<TestClock> {
  const { first, last } = clockSpan;
  if (input.now < first || input.now > last)
    throw invalid('now', `must be from ${first.toISOString()} to ${last.toISOString()}`);
  const owner = await ownerOf(context, input.storeId);
  return write(context, 'createTestClock', async ({ tx, now, audit }) => {
    await assertRoom(tx, owner.platformAccountId);
    const created = await tx.testClock.create({
      data: { id: newId('clock_', now), ...owner, name: input.name, now: input.now, createdAt: now, updatedAt: now },
    });
    for (const row of auditsOnBehalf(context, created.id, null, { name: created.name, now: created.now })) audit(row);
    return created;
  });
}

type Owner = Pick<TestClock, 'partnerId' | 'platformAccountId' | 'mode'>;

async function ownerOf(context: KeyContext, storeId: string | null | undefined): Promise<Owner> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null)
    return { partnerId: caller.partnerId, platformAccountId: caller.platformAccountId, mode: caller.mode };
  const { partnerId, platformAccountId, mode } = await storeOf(context, storeId);
  return { partnerId, platformAccountId, mode };
}

/** Locks the account while it counts, so that two concurrent calls cannot exceed the limit. */
async function assertRoom(tx: Write['tx'], platformAccountId: string): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${platformAccountId}
    FOR NO KEY UPDATE`);
  if ((await tx.testClock.count({ where: { platformAccountId } })) >= testClocksMax)
    throw new Conflict('limit_reached', `An account has at most ${testClocksMax} test clocks.`);
}
