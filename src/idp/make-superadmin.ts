import type pg from 'pg';
import { openPool } from '../kit/pool.ts';
import { IdpError, type IdpInvitation, type IdpUser } from '../ports/identity-provider.ts';
import { findUser, setAccess } from './accounts.ts';
import type { EngineOptions } from './engine.ts';
import { invite } from './invitations.ts';
import { makeTables } from './tables.ts';

export type NewSuperadmin = { kind: 'invited'; invitation: IdpInvitation } | { kind: 'promoted'; user: IdpUser };

/**
 * Makes somebody a superadmin from outside the platform: by an invitation, or at once where there is an account, since whoever
 * may run commands on this database may do that anyway. The running platform hears of it through the outbox.
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
    const user = await findUser(pool, 'email', email);
    if (user) return { kind: 'promoted', user: await promote(pool, user) };
    // An earlier invitation of this command is replaced: its link was shown once and may be lost.
    await pool.query(
      `UPDATE invitation SET status = 'revoked', "closedAt" = now() WHERE lower(email) = lower($1) AND status = 'pending' AND "publicMetadata"->'platformRoles' ? 'superadmin'`,
      [email],
    );
    const access = { platformRoles: ['superadmin'], whitelabelOwnership: null };
    return {
      kind: 'invited',
      invitation: await invite(pool, settings.publicUrl, {
        email,
        access,
        redirectUrl: `${settings.publicUrl}/graphql`,
      }),
    };
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
