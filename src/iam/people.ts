import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import type { Env } from '../env.ts';
import type { SessionCaller } from '../auth/caller.ts';
import { NotAuthorized } from '../kit/errors.ts';
import { upsertUser } from '../identity/operations.ts';
import type { IdpAccess, IdpUser } from '../ports/identity-provider.ts';
import type { Act } from './act.ts';
import type { PartnerFacts } from './policy.ts';
import { conflict, forbidden } from './refusals.ts';

/** Whatever reads the database: the client, or the client of a transaction. */
export type Reader = Pick<PrismaClient, 'iamUser' | 'iamOrgMember' | 'partner' | 'partnerMembership'>;

/** The partner the caller belongs to, since what its people may do ends with it. */
export async function callersPartner(db: Reader, { caller }: Pick<SessionContext, 'caller'>): Promise<PartnerFacts> {
  return caller.whitelabelOwnership === null ? null : findPartner(db, caller.whitelabelOwnership);
}

export async function findPartner(db: Reader, slug: string): Promise<PartnerFacts> {
  return db.partner.findUnique({ where: { slug }, select: { slug: true, status: true } });
}

/**
 * The person as the provider has them now, with everybody else who wants to change the same person waiting until this transaction
 * ends: roles are written whole, and two writers that read the same old ones would lose one of the changes.
 */
export async function lockPersonById(act: Act, { identityProvider }: Env, userId: string): Promise<IdpUser | null> {
  const found = await identityProvider.getUser(userId);
  if (!found) return null;
  await lockPerson(act.tx, found.email);
  return identityProvider.getUser(userId);
}

/** The same by e-mail; holds also for somebody who has no account yet. */
export async function lockPersonByEmail(act: Act, { identityProvider }: Env, email: string): Promise<IdpUser | null> {
  await lockPerson(act.tx, email);
  return identityProvider.findUserByEmail(email);
}

/** Writes roles and scope at the provider and into the mirror, so that the change counts at once. */
export async function setAccess(
  act: Act,
  { identityProvider }: Env,
  user: IdpUser,
  access: IdpAccess,
): Promise<IdpUser> {
  const { platformRoles, whitelabelOwnership } = user;
  if (sameRoles(platformRoles, access.platformRoles) && whitelabelOwnership === access.whitelabelOwnership) {
    // The mirror may be behind all the same.
    await upsertUser(act.tx, user);
    return user;
  }
  act.undo(() => identityProvider.setAccess(user.id, { platformRoles, whitelabelOwnership }));
  const changed = await identityProvider.setAccess(user.id, access);
  await upsertUser(act.tx, changed);
  return changed;
}

/** Whether somebody signs in for a merchant of their own: such a person never becomes a partner's staff. */
export async function isOrgOwner(db: Reader, userId: string): Promise<boolean> {
  return (
    (await db.iamOrgMember.count({ where: { userId, role: { in: ['owner', 'org:owner', 'admin', 'org:admin'] } } })) > 0
  );
}

/** Refuses to take the role from the last superadmin; two takers at once go one after the other. */
export async function assertSuperadminStays(act: Act, leaving: IdpUser): Promise<void> {
  if (leaving.whitelabelOwnership !== null || !leaving.platformRoles.includes('superadmin')) return;
  await lock(act.tx, 'superadmins');
  const others = await act.tx.iamUser.count({
    where: {
      platformRoles: { has: 'superadmin' },
      whitelabelOwnership: null,
      deletedAt: null,
      banned: false,
      NOT: { idpUserId: leaving.id },
    },
  });
  if (others === 0) throw conflict('last_superadmin');
}

/**
 * Refuses a change whose maker has lost a role, the partner or the session since the request came in. Asked before the change, and once
 * more as its last step, with the maker's row locked: whoever takes a role away is answered after the changes made with it, and
 * what comes later is not made. Locked no earlier, since two who change each other would wait for one another.
 */
export async function assertTrustedToTheEnd(tx: Prisma.TransactionClient, caller: SessionCaller): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM iam_users WHERE "idpUserId" = ${caller.userId} FOR SHARE`;
  await assertStillTrusted(tx, caller);
}

export async function assertStillTrusted(
  tx: Prisma.TransactionClient,
  { userId, sessionId, platformRoles, whitelabelOwnership }: SessionCaller,
): Promise<void> {
  const person = await tx.iamUser.findUnique({ where: { idpUserId: userId } });
  const hasEnded = (await tx.endedSession.count({ where: { sessionId } })) > 0;
  if (!person || person.banned || person.deletedAt !== null || hasEnded)
    throw new NotAuthorized('The session has ended: sign in again.');
  const isAsBefore =
    person.whitelabelOwnership === whitelabelOwnership &&
    platformRoles.every((role) => person.platformRoles.includes(role));
  if (!isAsBefore) throw forbidden('caller_lacks_role');
}

export function sameRoles(left: readonly string[], right: readonly string[]): boolean {
  return new Set(left).size === new Set([...left, ...right]).size && new Set(right).size === new Set(left).size;
}

export function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/** Held until the transaction ends. By e-mail, so that it holds also for somebody who has no account yet. */
export function lockPerson(tx: Prisma.TransactionClient, email: string): Promise<void> {
  return lock(tx, `person:${email.toLowerCase()}`);
}

/** Held until the transaction ends. */
export async function lock(tx: Prisma.TransactionClient, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 471100005))`;
}
