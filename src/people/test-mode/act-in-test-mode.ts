import type { KeyContext, SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { actOnBehalf, readablePartnerId } from '../operators/public.ts';

/** What a person changes in test mode, or the account in which they create it. */
interface TestObject {
  partnerId: string;
  platformAccountId: string;
  mode: string;
}

interface Act<Found> {
  action: string;
  /** The argument that names the object, and its value. */
  field: string;
  id: string;
  find(): Promise<Found | null>;
  missing(): Error;
  /** Throws if the object cannot be changed so. */
  assert?(found: Found): void;
}

/**
 * Runs the operation that an account's own keys use in test mode, with a person as actor: internal staff for every
 * account, admins of a partner for the accounts of their partner. What belongs to another partner is 404, as if it did
 * not exist; what is of live mode is 400.
 */
export function actInTestMode<Found extends TestObject, Result>(
  context: SessionContext,
  { action, field, id, find, missing, assert }: Act<Found>,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  const findOwn = async (): Promise<Found> => {
    const partnerId = await readablePartnerId(context);
    const found = await find();
    if (!found || (partnerId !== null && found.partnerId !== partnerId)) throw missing();
    if (found.mode !== 'test') throw invalid(field, 'must be of test mode: live mode cannot be simulated');
    assert?.(found);
    return found;
  };
  return actOnBehalf(context, { action, target: id, reason: null }, findOwn, run);
}
