import { assertAllowed, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import { invalid, NotFound } from '../../lib/errors.ts';
import type { ListedSession } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { canAdministerPlatform } from '../policy.ts';
import { endSession } from './mirror.ts';

/** The sessions of the caller that have not ended, newest first. */
export function listOwnSessions({ services, caller }: SessionContext): Promise<ListedSession[]> {
  return services.identityProvider.listSessions(caller.userId);
}

/** Ends one session of the caller, at the provider and for its tokens. 404 for a session of another user. */
export function endOwnSession(context: SessionContext, id: string): Promise<{ id: string }> {
  const { services, caller } = context;
  const action = 'endMySession';
  return runChangeAtProvider(context, { action, target: id }, async (change) => {
    const sessions = await services.identityProvider.listSessions(caller.userId);
    if (!sessions.some((session) => session.id === id)) throw new NotFound('Session not found.');
    await endEach(services, change, caller.userId, [{ id }]);
    change.audit({ action, target: id });
    return { id };
  });
}

/** Ends every session of the caller except the current one, and returns how many were ended. */
export function endOtherSessions(context: SessionContext): Promise<{ endedCount: number }> {
  const { services, caller } = context;
  const action = 'endMyOtherSessions';
  return runChangeAtProvider(context, { action, target: caller.userId }, async (change) => {
    const sessions = await services.identityProvider.listSessions(caller.userId);
    const others = sessions.filter(({ id }) => id !== caller.sessionId);
    await endEach(services, change, caller.userId, others);
    change.audit({ action, target: caller.userId, after: { endedCount: others.length } });
    return { endedCount: others.length };
  });
}

/** For its tokens at once, and at the provider once the change is committed. */
async function endEach(
  { identityProvider }: Services,
  { tx, now, afterCommit }: AuditedChange,
  userId: string,
  sessions: readonly { id: string }[],
): Promise<void> {
  for (const { id } of sessions) {
    await endSession(tx, { sessionId: id, userId }, now);
    afterCommit(() => identityProvider.revokeSession(userId, id));
  }
}

/** The sessions of any user that have not ended, newest first. */
export async function listUserSessions({ services }: SessionContext, userId: string): Promise<ListedSession[]> {
  if (!(await services.identityProvider.getUser(userId))) throw notFound('target_not_found');
  return services.identityProvider.listSessions(userId);
}

/** Ends every session of another user, for example after the theft of a computer, and returns how many were ended. */
export function endUserSessions(
  context: SessionContext,
  { userId, reason }: { userId: string; reason: string },
): Promise<{ endedCount: number }> {
  const { services, caller } = context;
  const attempt = { action: 'endUserSessions', target: userId, reason };
  return runChangeAtProvider(context, attempt, async (change) => {
    assertAllowed(canAdministerPlatform(caller));
    if (userId === caller.userId) throw invalid('userId', 'must be another user: endMyOtherSessions ends your own');
    const sessions = await listUserSessions(context, userId);
    await endEach(services, change, userId, sessions);
    change.audit({ ...attempt, after: { endedCount: sessions.length } });
    return { endedCount: sessions.length };
  });
}

/**
 * Makes the platform reject the sessions that a change at the provider has ended, before the provider's message
 * arrives.
 */
export async function endingSessionsOf<Result>(
  { prisma, clock, identityProvider }: Pick<Services, 'prisma' | 'clock' | 'identityProvider'>,
  userId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await identityProvider.listSessions(userId);
  const result = await change();
  const left = new Set((await identityProvider.listSessions(userId)).map(({ id }) => id));
  for (const { id } of before) if (!left.has(id)) await endSession(prisma, { sessionId: id, userId }, clock.now());
  return result;
}
