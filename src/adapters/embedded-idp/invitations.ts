import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { execute, type Queryable, queryRow, type Sql, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type {
  Acceptance,
  IdpAccess,
  IdpInvitation,
  OpenInvitation,
  PendingInvitation,
  RevokedInvitation,
} from '../../ports/identity-provider.ts';
import { hashPassword } from './engine-calls.ts';
import { accessOf, metadataOf, throwConflict } from './rows.ts';
import { findUserByEmail, insertUser } from './users.ts';

const invitationDays = 7;

/** The database of invitations, and the clock for their expiry. */
interface Store {
  pool: pg.Pool;
  clock: Clock;
}

export interface NewInvitation {
  email: string;
  access: IdpAccess;
  redirectUrl: string;
  expiresInDays?: number;
}

/** Creates an invitation. Only the returned link contains the ticket, and only its hash is stored. */
export async function invite(
  { pool, clock }: Store,
  publicUrl: string,
  { email, access, redirectUrl, expiresInDays = invitationDays }: NewInvitation,
): Promise<IdpInvitation> {
  const id = `inv_${randomBase62(24)}`;
  const ticket = randomBytes(32).toString('base64url');
  const now = clock.now();
  // An expired invitation no longer prevents a new one.
  await execute(
    pool,
    sql`
      UPDATE invitation
      SET status = 'revoked', "closedAt" = ${now}
      WHERE lower(email) = lower(${email}::text) AND status = 'pending' AND "expiresAt" <= ${clock.earliest()}`,
  );
  await execute(
    pool,
    sql`
      INSERT INTO invitation (id, email, "ticketHash", "publicMetadata", "redirectUrl", "createdAt", "expiresAt")
      VALUES (
        ${id}, ${email}, ${hashOf(ticket)}, ${metadataOf(access)}, ${redirectUrl}, ${now},
        ${new Date(now.getTime() + expiresInDays * 86_400_000)}
      )`,
  ).catch(throwConflict);
  return { id, email, status: 'pending', acceptUrl: `${publicUrl}/idp/accept?ticket=${ticket}` };
}

export async function revokeInvitation({ pool, clock }: Store, id: string): Promise<'revoked' | 'already_closed'> {
  const count = await execute(
    pool,
    sql`
      UPDATE invitation
      SET status = 'revoked', "closedAt" = ${clock.now()}
      WHERE id = ${id} AND status = 'pending'`,
  );
  return count === 1 ? 'revoked' : 'already_closed';
}

function openAt({ clock }: Store): Sql {
  return sql`status = 'pending' AND "expiresAt" > ${clock.earliest()}`;
}

export async function findPendingInvitation(store: Store, email: string): Promise<PendingInvitation | null> {
  const row = await queryRow<{ id: string; publicMetadata: object }>(
    store.pool,
    sql`
      SELECT id, "publicMetadata"
      FROM invitation
      WHERE lower(email) = lower(${email}::text) AND ${openAt(store)}`,
  );
  return row === undefined ? null : { id: row.id, access: accessOf({ ...row }) };
}

/** The invitation of a ticket. Null if it was accepted or revoked, has expired, or does not exist. */
export async function findOpenInvitation(store: Store, ticket: string): Promise<OpenInvitation | null> {
  const row = await queryRow<Omit<OpenInvitation, 'platformRoles'> & { publicMetadata: object }>(
    store.pool,
    sql`
      SELECT
        id,
        email,
        "redirectUrl",
        "publicMetadata",
        EXISTS (SELECT 1 FROM "user" u WHERE lower(u.email) = lower(i.email)) AS "hasAccount"
      FROM invitation i
      WHERE "ticketHash" = ${hashOf(ticket)} AND ${openAt(store)}`,
  );
  if (!row) return null;
  const { publicMetadata, ...invitation } = row;
  return { ...invitation, platformRoles: accessOf({ publicMetadata }).platformRoles };
}

/** The revoked invitation of a ticket; null for any other ticket. */
export async function findRevokedInvitation({ pool }: Store, ticket: string): Promise<RevokedInvitation | null> {
  const row = await queryRow<RevokedInvitation>(
    pool,
    sql`
      SELECT email, "publicMetadata"->>'whitelabelOwnership' AS "partnerSlug"
      FROM invitation
      WHERE "ticketHash" = ${hashOf(ticket)} AND status = 'revoked'`,
  );
  return row ?? null;
}

/** Locks the invitation of a ticket. Undefined if it is not open. */
function lockInvitation(
  store: Store,
  client: Queryable,
  ticket: string,
): Promise<{ id: string; email: string; publicMetadata: object } | undefined> {
  return queryRow(
    client,
    sql`
      SELECT id, email, "publicMetadata"
      FROM invitation
      WHERE "ticketHash" = ${hashOf(ticket)} AND ${openAt(store)}
      FOR UPDATE`,
  );
}

async function closeInvitation({ clock }: Store, client: Queryable, id: string): Promise<void> {
  await execute(client, sql`UPDATE invitation SET status = 'accepted', "closedAt" = ${clock.now()} WHERE id = ${id}`);
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}

/** Consumes the ticket and creates the account: both or neither. */
export async function acceptWithPassword(store: Store, ticket: string, password: string): Promise<Acceptance> {
  const passwordHash = await hashPassword(password);
  return inTransaction(store.pool, async (client) => {
    const invitation = await lockInvitation(store, client, ticket);
    if (!invitation) return { outcome: 'closed' };
    const { id, email, publicMetadata } = invitation;
    if (await findUserByEmail(client, email)) return { outcome: 'has_account' };
    await closeInvitation(store, client, id);
    return {
      outcome: 'accepted',
      user: await insertUser(client, { email, passwordHash, publicMetadata }, store.clock.now()),
    };
  });
}

/** Consumes the ticket for a signed-in user. The platform sets the access, as with a hosted provider. */
export async function acceptSignedIn(store: Store, ticket: string, userId: string): Promise<Acceptance> {
  return inTransaction(store.pool, async (client) => {
    const invitation = await lockInvitation(store, client, ticket);
    if (!invitation) return { outcome: 'closed' };
    const user = await findUserByEmail(client, invitation.email);
    if (user?.id !== userId) return { outcome: 'other_user' };
    await closeInvitation(store, client, invitation.id);
    return { outcome: 'accepted', user };
  });
}
