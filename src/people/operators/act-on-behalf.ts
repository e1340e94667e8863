import type { ApiKeyCaller } from '../../auth/caller.ts';
import { createContext, type KeyContext, type SessionContext } from '../../graph/context.ts';
import { keyOfMutation } from '../../graph/first-answers.ts';
import type { Mode } from '../../kit/mode.ts';
import { findFirstCall } from '../../write/first-answer.ts';
import type { OnBehalf } from '../../write/on-behalf.ts';
import { recordRefusal } from '../../write/refusals.ts';

/** What of an account an operator acts on, or of a partner, such as an endpoint for the events of all its accounts. */
interface Owned {
  partnerId: string;
  platformAccountId: string | null;
  mode: string;
}

/**
 * Runs the operation that an account's own keys use, with a person as actor. The account and the mode are those of
 * the object, whatever the statuses of account and partner are. The audit row is part of the change; a refused change
 * has one with the reason of the refusal.
 */
export async function actOnBehalf<Result>(
  context: SessionContext,
  { target, ...onBehalf }: OnBehalf & { target: string },
  find: () => Promise<Owned>,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  try {
    const own = contextOnBehalf(context, await find(), onBehalf);
    const result = await run(own);
    context.replayed = own.replayed;
    for (const [name, ms] of own.timings) context.timings.set(name, ms);
    return result;
  } catch (error) {
    // A repeat that gets the answer of its first call was not refused.
    const key = keyOfMutation(context);
    const isAnswered = key !== null && (await findFirstCall(context.services.pool, key, error)) !== null;
    if (!isAnswered) await recordRefusal(context, { action: onBehalf.action, target }, error);
    throw error;
  }
}

function contextOnBehalf(
  { services, actor, requestId, ip, idempotencyOfUser }: SessionContext,
  { partnerId, platformAccountId, mode }: Owned,
  onBehalf: OnBehalf,
): KeyContext {
  const served = mode as Mode; // a CHECK constraint limits the column to the two modes
  const key = { keyId: actor.id, keyPrefix: '', mode: served, partnerId };
  const caller: ApiKeyCaller =
    platformAccountId === null ? { kind: 'partnerKey', ...key } : { kind: 'subKey', ...key, platformAccountId };
  const own = createContext({ services, caller, requestId, ip });
  return { ...own, caller, actor: { ...actor, mode: served }, idempotency: idempotencyOfUser, onBehalf };
}
