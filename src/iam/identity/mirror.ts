import { sql } from '../../database/sql.ts';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { newId } from '../../lib/ids.ts';
import type { IdpOrganization, IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';

/** The client of the database, or of one transaction. */
type Database = Prisma.TransactionClient | PrismaClient;

/** A user of the identity mirror. Permissions are decided by this row and never by the claims of a token. */
export interface MirroredUser {
  idpUserId: string;
  email: string;
  platformRoles: string[];
  whitelabelOwnership: string | null;
  banned: boolean;
  deletedAt: Date | null;
  createdAt: Date;
}

/**
 * Stores the provider's version of a user, unless the mirror has a later one or the user is deleted. A change made by
 * the platform stores the provider's answer in its own transaction, so that its caller reads the new state; the
 * provider's message about the change then changes nothing.
 */
export async function upsertUser(db: Database, user: IdpUser): Promise<void> {
  const { id, email, emailVerified, platformRoles, whitelabelOwnership, banned, createdAt, updatedAt } = user;
  await db.$executeRaw(sql`
    INSERT INTO iam_users AS u (
      "idpUserId", email, "emailLower", "emailVerified", "platformRoles", "whitelabelOwnership", banned,
      "createdAt", "idpUpdatedAt", "updatedAt"
    )
    VALUES (
      ${id}, ${email}, lower(${email}::text), ${emailVerified}, ${[...platformRoles]}::text[], ${whitelabelOwnership},
      ${banned}, ${createdAt}::timestamptz, ${updatedAt}::timestamptz, now()
    )
    ON CONFLICT ("idpUserId") DO UPDATE
    SET
      email = excluded.email,
      "emailLower" = excluded."emailLower",
      "emailVerified" = excluded."emailVerified",
      "platformRoles" = excluded."platformRoles",
      "whitelabelOwnership" = excluded."whitelabelOwnership",
      banned = excluded.banned,
      "idpUpdatedAt" = excluded."idpUpdatedAt",
      "updatedAt" = excluded."updatedAt"
    WHERE u."idpUpdatedAt" <= excluded."idpUpdatedAt" AND u."deletedAt" IS NULL`);
}

/**
 * Marks a user deleted and revokes their memberships. The row is kept, so that an older message cannot create the user
 * again and the audit log can still name them.
 */
export async function markUserDeleted(db: Database, userId: string, at: Date): Promise<void> {
  await db.$executeRaw(sql`
    INSERT INTO iam_users AS u (
      "idpUserId", email, "emailLower", "deletedAt", "createdAt", "idpUpdatedAt", "updatedAt"
    )
    VALUES (${userId}, '', '', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz)
    ON CONFLICT ("idpUserId") DO UPDATE
    SET
      "deletedAt" = coalesce(u."deletedAt", excluded."deletedAt"),
      "platformRoles" = '{}',
      "whitelabelOwnership" = NULL,
      "updatedAt" = excluded."updatedAt"`);
  await db.partnerMembership.updateMany({
    where: { userId, status: 'active' },
    data: { status: 'revoked', revokedAt: at },
  });
}

/** A user of the mirror, fetched from the provider if the mirror lacks them. Null if unknown or deleted. */
export async function readUser(
  services: Pick<Services, 'prisma' | 'identityProvider'>,
  id: string,
): Promise<MirroredUser | null> {
  const found = await services.prisma.iamUser.findUnique({ where: { idpUserId: id } });
  if (found) return found.deletedAt === null ? found : null;
  const user = await services.identityProvider.getUser(id);
  if (!user) return null;
  await upsertUser(services.prisma, user);
  return services.prisma.iamUser.findFirst({ where: { idpUserId: id, deletedAt: null } });
}

/** Ends a session: its tokens are refused from now on, also those that have not expired. */
export async function endSession(
  db: Database,
  { sessionId, userId }: { sessionId: string; userId: string },
  now: Date,
): Promise<void> {
  await db.endedSession.createMany({ data: [{ sessionId, userId, at: now }], skipDuplicates: true });
}

/**
 * Stores the provider's version of an organization. An organization that is new to the mirror is a self-serve merchant.
 */
export async function upsertOrganization(db: Database, organization: IdpOrganization): Promise<void> {
  const { id, name, slug, partnerSlug, createdAt, updatedAt } = organization;
  if (!(await takeVersion(db, id, updatedAt))) return;
  const partner =
    partnerSlug === null ? null : await db.partner.findUnique({ where: { slug: partnerSlug }, select: { id: true } });
  const tag = { name, slug, partnerId: partner?.id ?? null };
  await db.organization.upsert({
    where: { organizationId: id },
    update: tag,
    create: { ...tag, accountId: newId('acc_', createdAt), organizationId: id, kind: 'self_serve', createdAt },
  });
}

export async function tagOrganization(db: Database, accountId: string, partnerId: string | null): Promise<void> {
  await db.organization.update({ where: { accountId }, data: { partnerId } });
}

/**
 * Removes the link to a deleted organization of the provider. The merchant's own rows are financial records and are
 * kept.
 */
export async function unlinkOrganization(db: Database, organizationId: string, at: Date): Promise<void> {
  if (!(await takeVersion(db, organizationId, at))) return;
  await db.organization.updateMany({ where: { organizationId }, data: { organizationId: null } });
  await db.iamOrgMember.deleteMany({ where: { organizationId } });
}

/** Stores the role of a member of an organization; null removes the member. */
export async function setOrgMember(
  db: Database,
  member: { organizationId: string; userId: string; role: string | null },
  at: Date,
): Promise<void> {
  const { organizationId, userId, role } = member;
  if (!(await takeVersion(db, `${organizationId}/${userId}`, at))) return;
  if (role === null) await db.iamOrgMember.deleteMany({ where: { organizationId, userId } });
  else
    await db.iamOrgMember.upsert({
      where: { organizationId_userId: { organizationId, userId } },
      update: { role },
      create: { organizationId, userId, role, createdAt: at },
    });
}

/** Records the version of a subject. False if a later version is already stored. */
async function takeVersion(db: Database, subject: string, at: Date): Promise<boolean> {
  const taken = await db.$executeRaw(sql`
    INSERT INTO idp_versions AS v (subject, at)
    VALUES (${subject}, ${at}::timestamptz)
    ON CONFLICT (subject) DO UPDATE
    SET at = excluded.at
    WHERE v.at <= excluded.at`);
  return taken === 1;
}
