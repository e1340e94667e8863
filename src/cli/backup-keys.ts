import type { Keys } from '../database/backup/key-checks.ts';
import type { Config } from '../runtime/config.ts';

/** The keys of the settings that the rows of the database need. */
export function keysOf({ vaultKeys, auditKeys, fingerprintKey, identity }: Config): Keys {
  return { vaultKeys, auditKeys, fingerprintKey, idpSecret: identity.kind === 'embedded' ? identity.secret : null };
}
