import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { randomBase62 } from '../../kit/ids.ts';
import type { IdpAccess, IdpInvitation, PendingInvitation } from '../../ports/identity-provider.ts';
import type { OpenInvitation, RevokedInvitation } from '../../ports/invitation-tickets.ts';
import { throwConflict } from './errors.ts';
import { accessOf, metadataOf } from './rows.ts';

const invitationDays = 7;

export interface NewInvitation {
  email: string;
  access: IdpAccess;
  redirectUrl: string;
  expiresInDays?: number;
}

/** Creates an invitation. The ticket is returned in the link only, and its hash is stored. */
export async function invite(
  pool: pg.Pool,
  publicUrl: string,
  { email, access, redirectUrl, expiresInDays = invitationDays }: NewInvitation,
): Promise<IdpInvitation> {
  const id = `inv_${randomBase62(24)}`;
  const ticket = randomBytes(32).toString('base64url');
  // An expired invitation no longer prevents a new one.
  await execute(
    pool,
    sql`
      UPDATE invitation
      SET status = 'revoked', "closedAt" = now()
      WHERE lower(email) = lower(${email}::text) AND status = 'pending' AND "expiresAt" <= now()`,
  );
  await execute(
    pool,
    sql`
      INSERT INTO invitation (id, email, "ticketHash", "publicMetadata", "redirectUrl", "expiresAt")
      VALUES (
        ${id}, ${email}, ${hashOf(ticket)}, ${metadataOf(access)}, ${redirectUrl},
        now() + make_interval(days => ${expiresInDays}::int)
      )`,
  ).catch(throwConflict);
  return { id, email, status: 'pending', acceptUrl: `${publicUrl}/idp/accept?ticket=${ticket}` };
}

export async function revokeInvitation(pool: pg.Pool, id: string): Promise<'revoked' | 'already_closed'> {
  const count = await execute(
    pool,
    sql`
      UPDATE invitation
      SET status = 'revoked', "closedAt" = now()
      WHERE id = ${id} AND status = 'pending'`,
  );
  return count === 1 ? 'revoked' : 'already_closed';
}

/** Revokes the pending invitation of an e-mail address if it gives the role `superadmin`. */
export async function revokeSuperadminInvitation(pool: pg.Pool, email: string): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE invitation
      SET status = 'revoked', "closedAt" = now()
      WHERE lower(email) = lower(${email}::text)
        AND status = 'pending'
        AND "publicMetadata"->'platformRoles' ? 'superadmin'`,
  );
}

const isOpen = sql`status = 'pending' AND "expiresAt" > now()`;

export async function findPendingInvitation(pool: pg.Pool, email: string): Promise<PendingInvitation | null> {
  const row = await queryRow<{ id: string; publicMetadata: object }>(
    pool,
    sql`
      SELECT id, "publicMetadata"
      FROM invitation
      WHERE lower(email) = lower(${email}::text) AND ${isOpen}`,
  );
  return row === undefined ? null : { id: row.id, access: accessOf({ ...row }) };
}

/** The invitation of a ticket. Null if it was accepted or revoked, has expired, or does not exist. */
export async function findOpenInvitation(pool: pg.Pool, ticket: string): Promise<OpenInvitation | null> {
  const row = await queryRow<OpenInvitation>(
    pool,
    sql`
      SELECT
        id,
        email,
        "redirectUrl",
        EXISTS (SELECT 1 FROM "user" u WHERE lower(u.email) = lower(i.email)) AS "hasAccount"
      FROM invitation i
      WHERE "ticketHash" = ${hashOf(ticket)} AND ${isOpen}`,
  );
  return row ?? null;
}

/** The revoked invitation of a ticket; null for any other ticket. */
export async function findRevokedInvitation(pool: pg.Pool, ticket: string): Promise<RevokedInvitation | null> {
  const row = await queryRow<RevokedInvitation>(
    pool,
    sql`
      SELECT email, "publicMetadata"->>'whitelabelOwnership' AS "partnerSlug"
      FROM invitation
      WHERE "ticketHash" = ${hashOf(ticket)} AND status = 'revoked'`,
  );
  return row ?? null;
}

/** Consumes a ticket. Undefined if it is not open. */
export function closeInvitation(
  client: Queryable,
  ticket: string,
): Promise<{ email: string; publicMetadata: object } | undefined> {
  return queryRow(
    client,
    sql`
      UPDATE invitation
      SET status = 'accepted', "closedAt" = now()
      WHERE "ticketHash" = ${hashOf(ticket)} AND ${isOpen}
      RETURNING email, "publicMetadata"`,
  );
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}
