import { sql } from '../../database/sql.ts';
import { newId } from '../../kit/ids.ts';
import type { IdpOrganization } from '../../ports/identity-provider.ts';
import type { Database } from './mirrored-users.ts';

/** Stores the provider's version of an organization. An organization new to the mirror is a self-serve merchant. */
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

/**
 * Removes the link to a deleted organization of the provider. The merchant's own rows are financial records and stay.
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

/** Records the version of a subject. False if a later version is stored already. */
async function takeVersion(db: Database, subject: string, at: Date): Promise<boolean> {
  const taken = await db.$executeRaw(sql`
    INSERT INTO idp_versions AS v (subject, at)
    VALUES (${subject}, ${at}::timestamptz)
    ON CONFLICT (subject) DO UPDATE
    SET at = excluded.at
    WHERE v.at <= excluded.at`);
  return taken === 1;
}
