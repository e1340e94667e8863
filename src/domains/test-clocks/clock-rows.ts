import { tenantOf } from '../../auth/tenancy.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';

/** The first and the last time a clock may show. */
export const clockSpan = {
  first: new Date('2000-01-01T00:00:00.000Z'),
  last: new Date('2100-01-01T00:00:00.000Z'),
} as const;

/** A clock that is visible to the caller, or 404. Takes the client or a database transaction. */
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

export function noSuchTestClock(): NotFound {
  return new NotFound('There is no such test clock.');
}
