import type { SessionContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { endSession } from '../mirror/public.ts';
import { runChangeAtProvider } from './audited-change.ts';
import { canAdministerPlatform, canChangeAccessOf } from './policy.ts';
import { assertAllowed, conflict, notFound } from './refusals.ts';

/**
 * Removes the second factor of a person who has lost it, and ends their sessions. A superadmin whose own is lost asks
 * another one: this ability must not be worth more than the factor itself.
 */
export function resetSecondFactor(
  context: SessionContext,
  { userId, reason }: { userId: string; reason: string },
): Promise<{ userId: string }> {
  const { services } = context;
  const action = 'resetSecondFactor';
  if (reason.trim() === '') throw invalid('reason', 'is required: why the second factor is removed');
  return runChangeAtProvider(context, { action, target: userId }, async ({ tx, now, audit }) => {
    assertAllowed(canAdministerPlatform(context.caller));
    assertAllowed(canChangeAccessOf(context.caller, userId));
    const provider = services.identityProvider;
    if (!provider.resetSecondFactor)
      throw new Conflict(
        'not_offered_by_provider',
        'The identity provider resets second factors in its own console (not_offered_by_provider).',
      );
    if (!(await provider.getUser(userId))) throw notFound('target_not_found');
    for (const { id } of await provider.listSessions(userId)) await endSession(tx, { sessionId: id, userId }, now);
    if (!(await provider.resetSecondFactor(userId))) throw conflict('no_second_factor');
    audit({ action, target: userId, reason: reason.trim() });
    return { userId };
  });
}
