import { conflict } from '../../auth/decisions.ts';
import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { IdpAccess, IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import type { AuditedChange } from '../audited-change.ts';
import { upsertUser } from '../identity/mirror.ts';
import type { DirectoryReader } from '../partner-facts.ts';
import { newAdminRoles, tellOfAdmin } from '../tell-of-admin.ts';

/**
 * The provider's current version of a user, locked until the transaction ends. Roles are written as a whole: two
 * writers that read the same roles would lose one of the changes.
 */
export async function lockUserById(
  { tx }: AuditedChange,
  { identityProvider }: Services,
  userId: string,
): Promise<IdpUser | null> {
  const found = await identityProvider.getUser(userId);
  if (!found) return null;
  await lockEmail(tx, found.email);
  return identityProvider.getUser(userId);
}

/** The user of an email address; null without an account. The address is locked in both cases. */
export async function lockUserByEmail(
  { tx }: AuditedChange,
  { identityProvider }: Services,
  email: string,
): Promise<IdpUser | null> {
  await lockEmail(tx, email);
  return identityProvider.findUserByEmail(email);
}

/** Locks a user until the transaction ends, by email address, since an invited user may have no account yet. */
export function lockEmail(tx: Prisma.TransactionClient, email: string): Promise<void> {
  return lockName(tx, `person:${email.toLowerCase()}`);
}

/** Takes an advisory lock until the transaction ends. */
export async function lockName(tx: Prisma.TransactionClient, name: string): Promise<void> {
  await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 471100005))`);
}

/** Writes roles and scope at the provider and in the mirror, so that the change applies immediately. */
export async function setAccess(
  change: AuditedChange,
  services: Services,
  user: IdpUser,
  access: IdpAccess,
): Promise<IdpUser> {
  const { identityProvider } = services;
  const { platformRoles, whitelabelOwnership } = user;
  if (sameRoles(platformRoles, access.platformRoles) && whitelabelOwnership === access.whitelabelOwnership) {
    // The mirror may be behind the provider.
    await upsertUser(change.tx, user);
    return user;
  }
  change.compensate(() => identityProvider.setAccess(user.id, { platformRoles, whitelabelOwnership }));
  const changed = await identityProvider.setAccess(user.id, access);
  await upsertUser(change.tx, changed);
  const roles = newAdminRoles(user, changed);
  if (roles.length > 0)
    change.afterCommit(() =>
      tellOfAdmin(services, { email: changed.email, roles, partnerSlug: changed.whitelabelOwnership }),
    );
  return changed;
}

/** Whether the user owns a merchant's organization: such a user never becomes staff of a partner. */
export async function isOrgOwner(db: DirectoryReader, userId: string): Promise<boolean> {
  const ownerRoles = ['owner', 'org:owner', 'admin', 'org:admin'];
  return (await db.iamOrgMember.count({ where: { userId, role: { in: ownerRoles } } })) > 0;
}

/** Throws if the last superadmin would lose the role. Two concurrent removals run in sequence. */
export async function assertSuperadminStays({ tx }: AuditedChange, leaving: IdpUser): Promise<void> {
  if (leaving.whitelabelOwnership !== null || !leaving.platformRoles.includes('superadmin')) return;
  await lockName(tx, 'superadmins');
  const others = await tx.iamUser.count({
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

export function sameRoles(left: readonly string[], right: readonly string[]): boolean {
  return new Set(left).size === new Set([...left, ...right]).size && new Set(right).size === new Set(left).size;
}

export function unionOf(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/** Roles and scope as the audit log shows them. */
export function accessObject({ platformRoles, whitelabelOwnership }: IdpUser): object {
  return { platformRoles, whitelabelOwnership };
}
