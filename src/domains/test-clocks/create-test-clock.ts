import { sql } from '../../database/sql.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { type Write, write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { clockSpan } from './clock-rows.ts';
import type { CreateTestClockInput } from './inputs.ts';

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

/** Locks the account while it counts, so that two calls at the same time cannot exceed the limit. */
async function assertRoom(tx: Write['tx'], platformAccountId: string): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${platformAccountId}
    FOR NO KEY UPDATE`);
  if ((await tx.testClock.count({ where: { platformAccountId } })) >= testClocksMax)
    throw new Conflict('limit_reached', `An account has at most ${testClocksMax} test clocks.`);
}
