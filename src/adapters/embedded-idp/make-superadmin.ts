import type pg from 'pg';
import { openPool } from '../../database/pool.ts';
import { IdpError, type IdpInvitation, type IdpUser } from '../../ports/identity-provider.ts';
import type { EngineOptions } from './engine.ts';
import { invite, revokeSuperadminInvitation } from './invitations.ts';
import { makeTables } from './tables.ts';
import { findUserByEmail, setAccess } from './users.ts';

export type NewSuperadmin = { kind: 'invited'; invitation: IdpInvitation } | { kind: 'promoted'; user: IdpUser };

/**
 * Makes a user a superadmin from outside the platform: by an invitation, or at once for a user with an account. A
 * person who can run commands on this database could do so in any case. A running platform learns of it by the outbox.
 */
export async function makeSuperadmin(
  databaseUrl: string,
  settings: Omit<EngineOptions, 'pool'>,
  email: string,
): Promise<NewSuperadmin> {
  const pool = openPool({
    connectionString: databaseUrl,
    max: 2,
    application_name: 'superadmin',
    options: '-c search_path=idp',
  });
  try {
    await makeTables(databaseUrl, { ...settings, pool });
    const user = await findUserByEmail(pool, email);
    if (user) return { kind: 'promoted', user: await promote(pool, user) };
    // Replaces an earlier invitation of this command: its link was shown once and may be lost.
    await revokeSuperadminInvitation(pool, email);
    const access = { platformRoles: ['superadmin'], whitelabelOwnership: null };
    const redirectUrl = `${settings.publicUrl}/graphql`;
    return { kind: 'invited', invitation: await invite(pool, settings.publicUrl, { email, access, redirectUrl }) };
  } finally {
    await pool.end();
  }
}

async function promote(pool: pg.Pool, user: IdpUser): Promise<IdpUser> {
  if (user.whitelabelOwnership !== null)
    throw new IdpError(
      'CONFLICT',
      `${user.email} belongs to the partner ${user.whitelabelOwnership}; detach them first.`,
    );
  return setAccess(pool, user.id, { platformRoles: [...user.platformRoles, 'superadmin'], whitelabelOwnership: null });
}
