import type { Services } from '../../services.ts';

/** A message is delivered at most a week late. */
const messagesKeptMs = 8 * 86_400_000;
/** A token is valid for a minute after its session has ended. */
const endedSessionsKeptMs = 3_600_000;

/** Removes what is no longer read: seen messages, ended sessions, and the expired sessions of an own provider. */
export async function purgeIdentityRows({
  prisma,
  clock,
  identityProvider,
}: Pick<Services, 'prisma' | 'clock' | 'identityProvider'>): Promise<void> {
  const now = clock.passed().getTime();
  await prisma.idpEventSeen.deleteMany({ where: { at: { lt: new Date(now - messagesKeptMs) } } });
  await prisma.endedSession.deleteMany({ where: { at: { lt: new Date(now - endedSessionsKeptMs) } } });
  await identityProvider.purgeExpired?.();
}
