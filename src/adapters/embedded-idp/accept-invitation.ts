import type pg from 'pg';
import type { Acceptance } from '../../ports/invitation-tickets.ts';
import { hashPassword } from './hashing.ts';
import { closeInvitation, type Store } from './invitations.ts';
import { findUserByEmail, insertUser } from './users.ts';

/** Consumes the ticket and creates the account, both or neither. */
export async function acceptWithPassword(store: Store, ticket: string, password: string): Promise<Acceptance> {
  const passwordHash = await hashPassword(password);
  return inTransaction(store.pool, async (client) => {
    const invitation = await closeInvitation({ ...store, client }, ticket);
    if (!invitation) return { outcome: 'closed' };
    const { email, publicMetadata } = invitation;
    if (await findUserByEmail(client, email)) return { outcome: 'has_account' };
    return {
      outcome: 'accepted',
      user: await insertUser(client, { email, passwordHash, publicMetadata }, store.clock.now()),
    };
  });
}

/** Consumes the ticket for a signed-in user. The platform sets the access, as it does with a hosted provider. */
export async function acceptSignedIn(store: Store, ticket: string, userId: string): Promise<Acceptance> {
  return inTransaction(store.pool, async (client) => {
    const invitation = await closeInvitation({ ...store, client }, ticket);
    if (!invitation) return { outcome: 'closed' };
    const user = await findUserByEmail(client, invitation.email);
    return user?.id === userId ? { outcome: 'accepted', user } : { outcome: 'other_user' };
  });
}

/** Rolls back unless the invitation is accepted, so that the ticket stays open. */
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
