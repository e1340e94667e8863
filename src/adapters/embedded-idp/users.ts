import { execute, type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type { IdpAccess, IdpPage, IdpUser } from '../../ports/identity-provider.ts';
import { hashPassword } from './engine-calls.ts';
import { databaseTime, found, metadataOf, type Row, throwConflict, userColumns, userOf } from './rows.ts';

export interface NewUser extends Partial<IdpAccess> {
  email: string;
  password: string;
}

/** Creates a user with a password, for accepted invitations, the demo data and tests. There is no sign-up. */
export async function createUser(
  db: Queryable,
  { email, password, platformRoles = [], whitelabelOwnership = null }: NewUser,
  createdAt: Date,
): Promise<IdpUser> {
  const passwordHash = await hashPassword(password);
  const publicMetadata = metadataOf({ platformRoles, whitelabelOwnership });
  return insertUser(db, { email, passwordHash, publicMetadata }, createdAt);
}

/** One statement, so that no user is without a password. The engine looks up email addresses in lower case. */
export async function insertUser(
  db: Queryable,
  { email, passwordHash, publicMetadata }: { email: string; passwordHash: string; publicMetadata: object },
  createdAt: Date,
): Promise<IdpUser> {
  const row = await queryRow<Row>(
    db,
    sql`
      WITH person AS (
        INSERT INTO "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", "publicMetadata")
        VALUES (
          ${`user_${randomBase62(24)}`}, ${email.split('@')[0]}, ${email.toLowerCase()}, true, ${createdAt},
          ${databaseTime},
          ${publicMetadata}
        )
        RETURNING ${userColumns}
      ), credential AS (
        INSERT INTO account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
        SELECT ${`cred_${randomBase62(24)}`}, id, 'credential', id, ${passwordHash}, ${databaseTime}, ${databaseTime}
        FROM person
      )
      SELECT ${userColumns}
      FROM person`,
  ).catch(throwConflict);
  return userOf(found(row));
}

export function findUserById(db: Queryable, id: string): Promise<IdpUser | null> {
  return findUser(db, sql`id = ${id}`);
}

export function findUserByEmail(db: Queryable, email: string): Promise<IdpUser | null> {
  return findUser(db, sql`lower(email) = lower(${email}::text)`);
}

async function findUser(db: Queryable, condition: Sql): Promise<IdpUser | null> {
  const row = await queryRow<Row>(
    db,
    sql`
      SELECT ${userColumns}
      FROM "user"
      WHERE ${condition}`,
  );
  return row === undefined ? null : userOf(row);
}

export async function listUsers(
  db: Queryable,
  { limit, offset }: IdpPage,
): Promise<{ users: IdpUser[]; total: number }> {
  const rows = await queryRows<Row>(
    db,
    sql`
      SELECT ${userColumns}
      FROM "user"
      ORDER BY "createdAt", id
      LIMIT ${limit}
      OFFSET ${offset}`,
  );
  const counted = await queryRow<{ total: string }>(db, sql`SELECT count(*) AS total FROM "user"`);
  return { users: rows.map(userOf), total: Number(counted?.total ?? 0) };
}

/** Replaces the platform's two keys of the public metadata; other keys are kept. */
export async function setAccess(db: Queryable, id: string, access: IdpAccess): Promise<IdpUser> {
  const row = await queryRow<Row>(
    db,
    sql`
      UPDATE "user"
      SET "publicMetadata" =
        ("publicMetadata" - 'platformRoles' - 'whitelabelOwnership') || ${metadataOf(access)}::jsonb
      WHERE id = ${id}
      RETURNING ${userColumns}`,
  );
  return userOf(found(row));
}

/** Bans a user and ends their sessions, or lifts the ban. */
export async function setBanned(db: Queryable, id: string, banned: boolean): Promise<IdpUser> {
  const row = await queryRow<Row>(
    db,
    sql`
      UPDATE "user"
      SET banned = ${banned}
      WHERE id = ${id}
      RETURNING ${userColumns}`,
  );
  if (banned) await revokeSessions(db, id);
  return userOf(found(row));
}

export async function deleteUser(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`DELETE FROM "user" WHERE id = ${id}`);
}

export function revokeSessions(db: Queryable, userId: string): Promise<number> {
  return execute(db, sql`DELETE FROM session WHERE "userId" = ${userId}`);
}
