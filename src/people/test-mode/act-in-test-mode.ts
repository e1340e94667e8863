import { visiblePartnerId } from '../../auth/visibility.ts';
import type { KeyContext, SessionContext } from '../../call/context.ts';
import { noSuchAccount } from '../../domains/accounts/public.ts';
import { noSuchProcessor, type ProcessorRow, updateProcessor } from '../../domains/processors/public.ts';
import { advanceTestClock, createTestClock, noSuchTestClock } from '../../domains/test-clocks/public.ts';
import type { Processor, TestClock } from '../../generated/prisma/client.ts';
import { actOnBehalf } from '../../graph/by-caller.ts';
import { invalid } from '../../lib/errors.ts';

/** The object that a user changes in test mode, or the account in which they create one. */
interface TestObject {
  partnerId: string;
  platformAccountId: string;
  mode: string;
}

interface Act<Found> {
  action: string;
  /** The name of the argument for the object's id, and its value. */
  field: string;
  id: string;
  find(): Promise<Found | null>;
  missing(): Error;
  /** Throws if the object does not allow the change. */
  assert?(found: Found): void;
}

/**
 * Runs the operation that an account's own keys use in test mode, with a user as actor: internal staff for every
 * account, admins of a partner for the accounts of their partner. Objects of another partner are 404, as if they did
 * not exist; objects of live mode are 400.
 */
function actInTestMode<Found extends TestObject, Result>(
  context: SessionContext,
  { action, field, id, find, missing, assert }: Act<Found>,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  const findOwn = async (): Promise<Found> => {
    const partnerId = await visiblePartnerId(context);
    const found = await find();
    if (!found || (partnerId !== null && found.partnerId !== partnerId)) throw missing();
    if (found.mode !== 'test') throw invalid(field, 'must be of test mode: live mode cannot be simulated');
    assert?.(found);
    return found;
  };
  return actOnBehalf(context, { action, target: id, reason: null }, findOwn, run);
}

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

/** Advances a test clock of any account that the user may change. */
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

/** Sets what a test processor simulates. Processors of other types have credentials, which users do not change. */
export function switchTestProcessor(
  context: SessionContext,
  { processorId, options }: { processorId: string; options: Record<string, unknown> },
): Promise<ProcessorRow> {
  const act = {
    action: 'operatorSwitchTestProcessor',
    field: 'processorId',
    id: processorId,
    find: () => context.services.prisma.processor.findUnique({ where: { id: processorId } }),
    missing: noSuchProcessor,
    assert: ({ type }: Processor) => {
      if (type !== 'test') throw invalid('processorId', 'must be of the type test: others simulate nothing');
    },
  };
  return actInTestMode<Processor, ProcessorRow>(context, act, (own) => updateProcessor(own, processorId, { options }));
}
