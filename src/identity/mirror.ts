import type { Env } from '../env.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { IdpOrganization, IdpUser } from '../ports/identity-provider.ts';
import { newId } from '../kit/ids.ts';

type Database = Prisma.TransactionClient | PrismaClient;

/** A person as our own tables know them; what a role allows is decided by this and never by a token. */
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
 * Takes over the provider's version of a person, unless ours is later or they are deleted. Every change of ours calls it with what
 * the provider answered, in the transaction of its own rows, so that the caller reads what they wrote; the message that comes
 * later says nothing new.
 */
export async function upsertUser(db: Database, user: IdpUser): Promise<void> {
  const { id, email, emailVerified, platformRoles, whitelabelOwnership, banned, createdAt, updatedAt } = user;
  await db.$executeRawUnsafe(
    upsertStatement,
    id,
    email,
    emailVerified,
    [...platformRoles],
    whitelabelOwnership,
    banned,
    createdAt,
    updatedAt,
  );
}

const upsertStatement = `INSERT INTO iam_users AS u ("idpUserId", email, "emailLower", "emailVerified", "platformRoles", "whitelabelOwnership", banned, "createdAt", "idpUpdatedAt", "updatedAt")
VALUES ($1, $2, lower($2), $3, $4::text[], $5, $6, $7::timestamptz, $8::timestamptz, now())
ON CONFLICT ("idpUserId") DO UPDATE SET email = excluded.email, "emailLower" = excluded."emailLower", "emailVerified" = excluded."emailVerified", "platformRoles" = excluded."platformRoles",
  "whitelabelOwnership" = excluded."whitelabelOwnership", banned = excluded.banned, "idpUpdatedAt" = excluded."idpUpdatedAt", "updatedAt" = excluded."updatedAt"
WHERE u."idpUpdatedAt" <= excluded."idpUpdatedAt" AND u."deletedAt" IS NULL`;

/** Leaves a tombstone: an older message must not bring the person back, and the audit log goes on naming them. No roster counts them any more. */
export async function buryUser(db: Database, userId: string, at: Date): Promise<void> {
  const text = `INSERT INTO iam_users AS u ("idpUserId", email, "emailLower", "deletedAt", "createdAt", "idpUpdatedAt", "updatedAt") VALUES ($1, '', '', $2::timestamptz, $2::timestamptz, $2::timestamptz, $2::timestamptz)
ON CONFLICT ("idpUserId") DO UPDATE SET "deletedAt" = coalesce(u."deletedAt", excluded."deletedAt"), "platformRoles" = '{}', "whitelabelOwnership" = NULL, "updatedAt" = excluded."updatedAt"`;
  await db.$executeRawUnsafe(text, userId, at);
  await db.partnerMembership.updateMany({
    where: { userId, status: 'active' },
    data: { status: 'revoked', revokedAt: at },
  });
}

/** A person of the mirror; one it lacks is fetched from the provider once. Null when there is nobody, or nobody any more. */
export async function readUser(
  env: Pick<Env, 'prisma' | 'identityProvider'>,
  id: string,
): Promise<MirroredUser | null> {
  const found = await env.prisma.iamUser.findUnique({ where: { idpUserId: id } });
  if (found) return found.deletedAt === null ? found : null;
  const user = await env.identityProvider.getUser(id);
  if (!user) return null;
  await upsertUser(env.prisma, user);
  return env.prisma.iamUser.findFirst({ where: { idpUserId: id, deletedAt: null } });
}

/** From now on tokens of the session are refused, however long they would live. */
export async function endSession(
  db: Database,
  { sessionId, userId }: { sessionId: string; userId: string },
  now: Date,
): Promise<void> {
  await db.endedSession.createMany({ data: [{ sessionId, userId, at: now }], skipDuplicates: true });
}

/** Takes over an organization. One that is new to us was made at the provider by a merchant of their own. */
export async function upsertOrganization(db: Database, organization: IdpOrganization): Promise<void> {
  const { id, name, slug, partnerSlug, createdAt, updatedAt } = organization;
  if (!(await isNews(db, id, updatedAt))) return;
  const partner =
    partnerSlug === null ? null : await db.partner.findUnique({ where: { slug: partnerSlug }, select: { id: true } });
  const tag = { name, slug, partnerId: partner?.id ?? null };
  await db.organization.upsert({
    where: { organizationId: id },
    update: tag,
    create: { ...tag, accountId: newId('organization', createdAt), organizationId: id, kind: 'self_serve', createdAt },
  });
}

/** Our rows below the organization stay: they are money. Only the link to the provider is cut. */
export async function unlinkOrganization(db: Database, organizationId: string, at: Date): Promise<void> {
  if (!(await isNews(db, organizationId, at))) return;
  await db.organization.updateMany({ where: { organizationId }, data: { organizationId: null } });
  await db.iamOrgMember.deleteMany({ where: { organizationId } });
}

export async function setOrgMember(
  db: Database,
  member: { organizationId: string; userId: string; role: string | null },
  at: Date,
): Promise<void> {
  const { organizationId, userId, role } = member;
  if (!(await isNews(db, `${organizationId}/${userId}`, at))) return;
  if (role === null) await db.iamOrgMember.deleteMany({ where: { organizationId, userId } });
  else
    await db.iamOrgMember.upsert({
      where: { organizationId_userId: { organizationId, userId } },
      update: { role },
      create: { organizationId, userId, role, createdAt: at },
    });
}

/** Whether this is later than what was last taken in about the subject; notes it when it is. */
async function isNews(db: Database, subject: string, at: Date): Promise<boolean> {
  const text = `INSERT INTO idp_versions AS v (subject, at) VALUES ($1, $2::timestamptz) ON CONFLICT (subject) DO UPDATE SET at = excluded.at WHERE v.at <= excluded.at`;
  return (await db.$executeRawUnsafe(text, subject, at)) === 1;
}
