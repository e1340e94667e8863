import type { SessionContext } from '../../call/context.ts';
import { NotFound } from '../../lib/errors.ts';
import type { ListedSession } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { runChangeAtProvider } from '../audited-change.ts';
import { endSession } from './mirror.ts';

/** The sessions of the caller that have not ended, newest first. */
export function listOwnSessions({ services, caller }: SessionContext): Promise<ListedSession[]> {
  return services.identityProvider.listSessions(caller.userId);
}

/** Ends one session of the caller, at the provider and for its tokens. 404 for a session of another user. */
export function endOwnSession(context: SessionContext, id: string): Promise<{ id: string }> {
  const { services, caller } = context;
  const action = 'endMySession';
  return runChangeAtProvider(context, { action, target: id }, async ({ tx, now, audit, afterCommit }) => {
    const sessions = await services.identityProvider.listSessions(caller.userId);
    if (!sessions.some((session) => session.id === id)) throw new NotFound('Session not found.');
    await endSession(tx, { sessionId: id, userId: caller.userId }, now);
    afterCommit(() => services.identityProvider.revokeSession(caller.userId, id));
    audit({ action, target: id });
    return { id };
  });
}

/** Ends every session of the caller except the current one, and returns how many were ended. */
export function endOtherSessions(context: SessionContext): Promise<{ endedCount: number }> {
  const { services, caller } = context;
  const action = 'endMyOtherSessions';
  return runChangeAtProvider(context, { action, target: caller.userId }, async ({ tx, now, audit, afterCommit }) => {
    const sessions = await services.identityProvider.listSessions(caller.userId);
    const others = sessions.filter(({ id }) => id !== caller.sessionId);
    for (const { id } of others) {
      await endSession(tx, { sessionId: id, userId: caller.userId }, now);
      afterCommit(() => services.identityProvider.revokeSession(caller.userId, id));
    }
    audit({ action, target: caller.userId, after: { endedCount: others.length } });
    return { endedCount: others.length };
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
