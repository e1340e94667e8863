import { noSuchAccount } from '../../domains/accounts/public.ts';
import { advanceTestClock, createTestClock, noSuchTestClock } from '../../domains/test-clocks/public.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { readablePartnerId } from '../operators/public.ts';
import { actInTestMode } from './act-in-test-mode.ts';

/** Creates a test clock in an account of test mode. */
export function operatorCreateClock(
  context: SessionContext,
  { accountId, name, now }: { accountId: string; name: string; now: Date },
): Promise<TestClock> {
  const find = async () => {
    const account = await context.services.prisma.processingAccount.findUnique({ where: { id: accountId } });
    return account && { ...account, platformAccountId: account.id };
  };
  const act = { action: 'operatorCreateTestClock', field: 'accountId', id: accountId, find, missing: noSuchAccount };
  return actInTestMode(context, act, (own) => createTestClock(own, { name, now }));
}

/** Advances a test clock of any account that the person may change. */
export function operatorAdvanceClock(
  context: SessionContext,
  { testClockId, to }: { testClockId: string; to: Date },
): Promise<TestClock> {
  const find = () => context.services.prisma.testClock.findUnique({ where: { id: testClockId } });
  const act = {
    action: 'operatorAdvanceTestClock',
    field: 'testClockId',
    id: testClockId,
    find,
    missing: noSuchTestClock,
  };
  return actInTestMode(context, act, (own) => advanceTestClock(own, testClockId, to));
}

/** A test clock that is visible to the person; 404 otherwise. */
export async function readOperatorClock(context: SessionContext, testClockId: string): Promise<TestClock> {
  const partnerId = await readablePartnerId(context);
  const found = await context.services.prisma.testClock.findFirst({
    where: { id: testClockId, ...(partnerId !== null && { partnerId }) },
  });
  if (!found) throw noSuchTestClock();
  return found;
}
