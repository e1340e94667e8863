import { createHash, randomBytes } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import type pg from 'pg';
import { randomBase62 } from '../kit/ids.ts';
import type { IdpAccess, IdpInvitation, IdpUser, PendingInvitation } from '../ports/identity-provider.ts';
import { conflictOf, insertUser, metadataOf } from './accounts.ts';
import { hashing } from './hashing.ts';
import { accessOf, userOf } from './webhook.ts';

const invitationDays = 7;

export interface OpenInvitation {
  id: string;
  email: string;
  redirectUrl: string;
  /** Whether somebody has an account under this e-mail already. */
  hasAccount: boolean;
}

export interface RevokedInvitation {
  email: string;
  /** Null for an invitation to no partner. */
  partnerSlug: string | null;
}

export type Acceptance =
  | { outcome: 'accepted'; user: IdpUser }
  | { outcome: 'closed' }
  | { outcome: 'has_account' | 'other_user' };

/** The ticket leaves in the link and nowhere else; kept is its hash. Of one that has run out nobody has to be told to make room. */
export async function invite(
  pool: pg.Pool,
  publicUrl: string,
  {
    email,
    access,
    redirectUrl,
    expiresInDays = invitationDays,
  }: { email: string; access: IdpAccess; redirectUrl: string; expiresInDays?: number },
): Promise<IdpInvitation> {
  const id = `inv_${randomBase62(24)}`;
  const ticket = randomBytes(32).toString('base64url');
  await pool.query(
    `UPDATE invitation SET status = 'revoked', "closedAt" = now() WHERE lower(email) = lower($1) AND status = 'pending' AND "expiresAt" <= now()`,
    [email],
  );
  await pool
    .query(
      `INSERT INTO invitation (id, email, "ticketHash", "publicMetadata", "redirectUrl", "expiresAt") VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))`,
      [id, email, hashOf(ticket), metadataOf(access), redirectUrl, expiresInDays],
    )
    .catch(conflictOf);
  return { id, email, status: 'pending', acceptUrl: `${publicUrl}/idp/accept?ticket=${ticket}` };
}

export async function revokeInvitation(pool: pg.Pool, id: string): Promise<'revoked' | 'already_closed'> {
  const { rowCount } = await pool.query(
    `UPDATE invitation SET status = 'revoked', "closedAt" = now() WHERE id = $1 AND status = 'pending'`,
    [id],
  );
  return rowCount === 1 ? 'revoked' : 'already_closed';
}

export async function findPendingInvitation(pool: pg.Pool, email: string): Promise<PendingInvitation | null> {
  const { rows } = await pool.query<{ id: string; publicMetadata: object }>(
    `SELECT id, "publicMetadata" FROM invitation WHERE lower(email) = lower($1) AND ${isOpen}`,
    [email],
  );
  const row = rows[0];
  return row === undefined ? null : { id: row.id, access: accessOf({ ...row }) };
}

const isOpen = `status = 'pending' AND "expiresAt" > now()`;

/** The invitation of a ticket, or null when it was used or revoked, has run out, or never was. */
export async function findOpenInvitation(pool: pg.Pool, ticket: string): Promise<OpenInvitation | null> {
  const text = `SELECT id, email, "redirectUrl", EXISTS (SELECT 1 FROM "user" u WHERE lower(u.email) = lower(i.email)) AS "hasAccount" FROM invitation i WHERE "ticketHash" = $1 AND ${isOpen}`;
  const { rows } = await pool.query<OpenInvitation>(text, [hashOf(ticket)]);
  return rows[0] ?? null;
}

/** Whom a ticket was for that was taken back; null for any other ticket. */
export async function findRevokedInvitation(pool: pg.Pool, ticket: string): Promise<RevokedInvitation | null> {
  const text = `SELECT email, "publicMetadata"->>'whitelabelOwnership' AS "partnerSlug" FROM invitation WHERE "ticketHash" = $1 AND status = 'revoked'`;
  const { rows } = await pool.query<RevokedInvitation>(text, [hashOf(ticket)]);
  return rows[0] ?? null;
}

/** Uses the ticket up and makes the account, both or neither. */
export async function acceptWithPassword(pool: pg.Pool, ticket: string, password: string): Promise<Acceptance> {
  const passwordHash = await hashing(() => hashPassword(password));
  return inTransaction(pool, async (client) => {
    const invitation = await close(client, ticket);
    if (!invitation) return { outcome: 'closed' };
    const { email, publicMetadata } = invitation;
    const there = await client.query('SELECT 1 FROM "user" WHERE lower(email) = lower($1)', [email]);
    if (there.rows.length > 0) return { outcome: 'has_account' };
    return { outcome: 'accepted', user: await insertUser(client, { email, passwordHash, publicMetadata }) };
  });
}

/** Uses the ticket up for somebody who is signed in. What they may do from now on is the platform's to say, as with a hosted provider. */
export async function acceptSignedIn(pool: pg.Pool, ticket: string, userId: string): Promise<Acceptance> {
  return inTransaction(pool, async (client) => {
    const invitation = await close(client, ticket);
    if (!invitation) return { outcome: 'closed' };
    const { rows } = await client.query('SELECT * FROM "user" WHERE id = $1 AND lower(email) = lower($2)', [
      userId,
      invitation.email,
    ]);
    return rows[0] === undefined ? { outcome: 'other_user' } : { outcome: 'accepted', user: userOf(rows[0]) };
  });
}

async function close(
  client: pg.PoolClient,
  ticket: string,
): Promise<{ email: string; publicMetadata: object } | undefined> {
  const { rows } = await client.query<{ email: string; publicMetadata: object }>(
    `UPDATE invitation SET status = 'accepted', "closedAt" = now() WHERE "ticketHash" = $1 AND ${isOpen} RETURNING email, "publicMetadata"`,
    [hashOf(ticket)],
  );
  return rows[0];
}

/** Anything but an acceptance leaves the ticket as it was. */
async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Acceptance>): Promise<Acceptance> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(result.outcome === 'accepted' ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}
