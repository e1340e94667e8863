import { execute, type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type { IdpOrganization, IdpOrgMember, IdpPage } from '../../ports/identity-provider.ts';
import { databaseTime, found, organizationColumns, organizationOf, type Row, throwConflict } from './rows.ts';

export interface NewOrganization {
  name: string;
  slug?: string | null;
  createdBy?: string | null;
  partnerSlug?: string | null;
}

export async function createOrganization(
  db: Queryable,
  { name, slug = null, createdBy = null, partnerSlug = null }: NewOrganization,
): Promise<IdpOrganization> {
  const row = await queryRow<Row>(
    db,
    sql`
      INSERT INTO organization (id, name, slug, "publicMetadata", "createdBy", "createdAt", "updatedAt")
      VALUES (
        ${`org_${randomBase62(24)}`}, ${name}, ${slug}, ${tagOf(partnerSlug)}, ${createdBy},
        ${databaseTime}, ${databaseTime}
      )
      RETURNING ${organizationColumns}`,
  ).catch(throwConflict);
  return organizationOf(found(row));
}

/** Replaces the partner in the public metadata; other keys are kept. */
export async function setOrganizationPartner(
  db: Queryable,
  id: string,
  partnerSlug: string | null,
): Promise<IdpOrganization> {
  const row = await queryRow<Row>(
    db,
    sql`
      UPDATE organization
      SET "publicMetadata" = ("publicMetadata" - 'partnerSlug') || ${tagOf(partnerSlug)}::jsonb
      WHERE id = ${id}
      RETURNING ${organizationColumns}`,
  );
  return organizationOf(found(row));
}

function tagOf(partnerSlug: string | null): object {
  return partnerSlug === null ? {} : { partnerSlug };
}

export async function listOrganizations(
  db: Queryable,
  { limit, offset }: IdpPage,
): Promise<{ organizations: IdpOrganization[]; total: number }> {
  const rows = await queryRows<Row>(
    db,
    sql`
      SELECT ${organizationColumns}
      FROM organization
      ORDER BY "createdAt", id
      LIMIT ${limit}
      OFFSET ${offset}`,
  );
  const counted = await queryRow<{ total: string }>(db, sql`SELECT count(*) AS total FROM organization`);
  return { organizations: rows.map(organizationOf), total: Number(counted?.total ?? 0) };
}

export async function listOrgMembers(
  db: Queryable,
  { limit, offset }: IdpPage,
): Promise<{ members: IdpOrgMember[]; total: number }> {
  const members = await queryRows<IdpOrgMember>(
    db,
    sql`
      SELECT "organizationId", "userId", role, "createdAt" AS "updatedAt"
      FROM membership
      ORDER BY "createdAt", "organizationId", "userId"
      LIMIT ${limit}
      OFFSET ${offset}`,
  );
  const counted = await queryRow<{ total: string }>(db, sql`SELECT count(*) AS total FROM membership`);
  return { members, total: Number(counted?.total ?? 0) };
}

export async function addMember(db: Queryable, organizationId: string, userId: string, role = 'owner'): Promise<void> {
  await execute(
    db,
    sql`
      INSERT INTO membership ("organizationId", "userId", role)
      VALUES (${organizationId}, ${userId}, ${role})
      ON CONFLICT ("organizationId", "userId") DO UPDATE
      SET role = excluded.role`,
  );
}

export async function removeMember(db: Queryable, organizationId: string, userId: string): Promise<void> {
  await execute(
    db,
    sql`
      DELETE FROM membership
      WHERE "organizationId" = ${organizationId} AND "userId" = ${userId}`,
  );
}
