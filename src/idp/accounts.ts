import { hashPassword } from 'better-auth/crypto';
import type pg from 'pg';
import { randomBase62 } from '../kit/ids.ts';
import {
  IdpError,
  type IdpAccess,
  type IdpOrganization,
  type IdpOrgMember,
  type IdpPage,
  type IdpUser,
} from '../ports/identity-provider.ts';
import { hashing } from './hashing.ts';
import { organizationOf, userOf } from './webhook.ts';

type Database = Pick<pg.Pool, 'query'>;

export interface NewUser extends Partial<IdpAccess> {
  email: string;
  password: string;
}

/** A person with a password. For invitations that are accepted, for the seed and for tests: nobody can sign up. */
export async function createUser(
  db: Database,
  { email, password, platformRoles = [], whitelabelOwnership = null }: NewUser,
): Promise<IdpUser> {
  return insertUser(db, {
    email,
    passwordHash: await hashing(() => hashPassword(password)),
    publicMetadata: metadataOf({ platformRoles, whitelabelOwnership }),
  });
}

/** One statement, so that there is never a person without a password. The engine looks e-mails up in lower case. */
export async function insertUser(
  db: Database,
  { email, passwordHash, publicMetadata }: { email: string; passwordHash: string; publicMetadata: object },
): Promise<IdpUser> {
  const text = `WITH person AS (
    INSERT INTO "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", "publicMetadata") VALUES ($1, $2, $3, true, $6, $6, $4) RETURNING *
  ), credential AS (
    INSERT INTO account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt") SELECT $5, id, 'credential', id, $7, $6, $6 FROM person
  ) SELECT * FROM person`;
  const id = `user_${randomBase62(24)}`;
  const name = email.split('@')[0];
  const { rows } = await db
    .query(text, [id, name, email.toLowerCase(), publicMetadata, `cred_${randomBase62(24)}`, new Date(), passwordHash])
    .catch(conflictOf);
  return userOf(one(rows));
}

export async function findUser(db: Database, where: 'id' | 'email', value: string): Promise<IdpUser | null> {
  const { rows } = await db.query(
    `SELECT * FROM "user" WHERE ${where === 'id' ? 'id = $1' : 'lower(email) = lower($1)'}`,
    [value],
  );
  return rows[0] === undefined ? null : userOf(rows[0]);
}

export async function listUsers(
  db: Database,
  { limit, offset }: IdpPage,
): Promise<{ users: IdpUser[]; total: number }> {
  const { rows } = await db.query('SELECT * FROM "user" ORDER BY "createdAt", id LIMIT $1 OFFSET $2', [limit, offset]);
  return { users: rows.map(userOf), total: await countOf(db, '"user"') };
}

export async function listOrganizations(
  db: Database,
  { limit, offset }: IdpPage,
): Promise<{ organizations: IdpOrganization[]; total: number }> {
  const { rows } = await db.query('SELECT * FROM organization ORDER BY "createdAt", id LIMIT $1 OFFSET $2', [
    limit,
    offset,
  ]);
  return { organizations: rows.map(organizationOf), total: await countOf(db, 'organization') };
}

export async function listOrgMembers(
  db: Database,
  { limit, offset }: IdpPage,
): Promise<{ members: IdpOrgMember[]; total: number }> {
  const { rows } = await db.query<IdpOrgMember>(
    'SELECT "organizationId", "userId", role, "createdAt" AS "updatedAt" FROM membership ORDER BY "createdAt", "organizationId", "userId" LIMIT $1 OFFSET $2',
    [limit, offset],
  );
  return { members: rows, total: await countOf(db, 'membership') };
}

async function countOf(db: Database, table: '"user"' | 'organization' | 'membership'): Promise<number> {
  const { rows } = await db.query<{ total: string }>(`SELECT count(*) AS total FROM ${table}`);
  return Number(rows[0]?.total ?? 0);
}

/** The two keys of the public metadata that are ours; what else stands there stays. */
export async function setAccess(db: Database, id: string, access: IdpAccess): Promise<IdpUser> {
  const text = `UPDATE "user" SET "publicMetadata" = ("publicMetadata" - 'platformRoles' - 'whitelabelOwnership') || $2::jsonb WHERE id = $1 RETURNING *`;
  const { rows } = await db.query(text, [id, metadataOf(access)]);
  return userOf(one(rows));
}

/** Ends the sessions of a banned person, too. */
export async function setBanned(db: Database, id: string, banned: boolean): Promise<IdpUser> {
  const { rows } = await db.query('UPDATE "user" SET banned = $2 WHERE id = $1 RETURNING *', [id, banned]);
  if (banned) await revokeSessions(db, id);
  return userOf(one(rows));
}

export async function deleteUser(db: Database, id: string): Promise<void> {
  await db.query('DELETE FROM "user" WHERE id = $1', [id]);
}

export async function revokeSessions(db: Database, userId: string): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM session WHERE "userId" = $1', [userId]);
  return rowCount ?? 0;
}

export async function createOrganization(
  db: Database,
  {
    name,
    slug = null,
    createdBy = null,
    partnerSlug = null,
  }: { name: string; slug?: string | null; createdBy?: string | null; partnerSlug?: string | null },
): Promise<IdpOrganization> {
  const text = `INSERT INTO organization (id, name, slug, "publicMetadata", "createdBy", "createdAt", "updatedAt") VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING *`;
  const { rows } = await db
    .query(text, [
      `org_${randomBase62(24)}`,
      name,
      slug,
      partnerSlug === null ? {} : { partnerSlug },
      createdBy,
      new Date(),
    ])
    .catch(conflictOf);
  return organizationOf(one(rows));
}

export async function setOrganizationPartner(
  db: Database,
  id: string,
  partnerSlug: string | null,
): Promise<IdpOrganization> {
  const text = `UPDATE organization SET "publicMetadata" = ("publicMetadata" - 'partnerSlug') || $2::jsonb WHERE id = $1 RETURNING *`;
  const { rows } = await db.query(text, [id, partnerSlug === null ? {} : { partnerSlug }]);
  return organizationOf(one(rows));
}

export async function addMember(db: Database, organizationId: string, userId: string, role = 'owner'): Promise<void> {
  const text = `INSERT INTO membership ("organizationId", "userId", role) VALUES ($1, $2, $3) ON CONFLICT ("organizationId", "userId") DO UPDATE SET role = excluded.role`;
  await db.query(text, [organizationId, userId, role]);
}

export async function removeMember(db: Database, organizationId: string, userId: string): Promise<void> {
  await db.query('DELETE FROM membership WHERE "organizationId" = $1 AND "userId" = $2', [organizationId, userId]);
}

/** A key without a value is absent: that is how the hosted provider takes one away. */
export function metadataOf({ platformRoles, whitelabelOwnership }: IdpAccess): object {
  return { platformRoles: [...new Set(platformRoles)], ...(whitelabelOwnership !== null && { whitelabelOwnership }) };
}

function one(rows: unknown[]): Record<string, unknown> {
  if (rows[0] === undefined)
    throw new IdpError('NOT_FOUND', 'The identity provider knows nobody and nothing of this id.');
  return rows[0] as Record<string, unknown>; // a row is an object
}

export function conflictOf(error: { code?: string }): never {
  if (error.code === '23505')
    throw new IdpError('CONFLICT', 'The identity provider has one of this kind already.', { cause: error });
  throw error;
}
