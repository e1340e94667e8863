import { tenantOf } from '../auth/tenancy.ts';
import type { TestClock } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import type { CreateTestClockInput, TestClockFilters } from './schema.ts';

export { atClockTime, atCustomersTime, onClock } from './clock-time.ts';

/** There is no way to remove one, so there is room for many. */
export const testClocksMax = 1_000;
/** What a clock may ever show. */
export const clockSpan = {
  first: new Date('2000-01-01T00:00:00.000Z'),
  last: new Date('2100-01-01T00:00:00.000Z'),
} as const;

const clockList: ListDefinition<typeof TestClockFilters.$inferInput> = {
  table: 'test_clocks',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    storeId: (storeIds, bind) =>
      `t."platformAccountId" IN (SELECT s."platformAccountId" FROM stores s WHERE s.id = ANY(${bind([...storeIds])}))`,
  },
  counted: true,
};

export function listTestClocks(
  context: KeyContext,
  args: ListArguments<typeof TestClockFilters.$inferInput>,
): Promise<Page<TestClock>> {
  return readList(context.env.pool, context.caller, clockList, args);
}

export function readTestClock(context: KeyContext, testClockId: string): Promise<TestClock> {
  return findTestClock(context, context.env.prisma, testClockId);
}

/** Adds a test clock to the account; with a partner key to the account of the store it names. */
export async function createTestClock(
  context: KeyContext,
  input: typeof CreateTestClockInput.$inferInput,
): Promise<TestClock> {
  const { first, last } = clockSpan;
  if (input.now < first || input.now > last)
    throw invalid('now', `must be from ${first.toISOString()} to ${last.toISOString()}`);
  const owner = await ownerOf(context, input.storeId);
  return write(context, 'createTestClock', async ({ tx, now }) => {
    await assertRoom(tx, owner.platformAccountId);
    return tx.testClock.create({
      data: { id: newId('testClock', now), ...owner, name: input.name, now: input.now, createdAt: now, updatedAt: now },
    });
  });
}

/** The clock as the caller may see it, or 404. Takes the client or a transaction. */
export async function findTestClock(
  { caller }: Pick<KeyContext, 'caller'>,
  db: Pick<Write['tx'], 'testClock'>,
  testClockId: string,
): Promise<TestClock> {
  const testClock = await db.testClock.findFirst({ where: { ...tenantOf(caller), id: testClockId } });
  if (!testClock) throw noSuchTestClock();
  return testClock;
}

/** The clock a new customer of a store is put on. */
export async function testClockOf(
  context: KeyContext,
  { platformAccountId }: { platformAccountId: string },
  testClockId: string,
): Promise<TestClock> {
  const testClock = await findTestClock(context, context.env.prisma, testClockId);
  // A clock of another account of the partner tells no time here.
  if (testClock.platformAccountId !== platformAccountId) throw noSuchTestClock();
  return testClock;
}

function noSuchTestClock(): NotFound {
  return new NotFound('There is no such test clock.');
}

type Owner = Pick<TestClock, 'partnerId' | 'platformAccountId' | 'mode'>;

async function ownerOf(context: KeyContext, storeId: string | null | undefined): Promise<Owner> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null)
    return { partnerId: caller.partnerId, platformAccountId: caller.platformAccountId, mode: caller.mode };
  const { partnerId, platformAccountId, mode } = await storeOf(context, storeId);
  return { partnerId, platformAccountId, mode };
}

/** Holds the account's row while it counts, so that of two calls at once one sees the other's clock. */
async function assertRoom(tx: Write['tx'], platformAccountId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
  if ((await tx.testClock.count({ where: { platformAccountId } })) >= testClocksMax)
    throw new Conflict('limit_reached', `An account has at most ${testClocksMax} test clocks.`);
}
