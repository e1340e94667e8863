import { decideKeys, type KeyIntent, start } from './database/keys/decide-keys.ts';
import {
  type CheckedSetting,
  checksOf,
  type KeyCheck,
  type KeyChecks,
  type Keys,
  keyChecksOf,
} from './database/keys/key-checks.ts';
import { changeChecks, keepsChecks, readChecks, readKeys } from './database/keys/stored-keys.ts';
import type { Queryable } from './database/sql.ts';
import { type Config, ConfigError } from './runtime/config.ts';

/** The keys of the settings that the rows of the database need. */
export function keysOf({ vaultKeys, auditKeys, fingerprintKey, identity }: Config): Keys {
  return { vaultKeys, auditKeys, fingerprintKey, idpSecret: identity.kind === 'embedded' ? identity.secret : null };
}

/**
 * Compares the keys of the settings with those of the database, and stores what a start or command may change. Throws
 * if a key is wrong, and changes nothing then. A database without checks takes the keys, if they open what it has:
 * of several processes that start at once the first one decides. `main` is given with the database of the vault alone.
 */
export async function settleKeys(
  config: Config,
  database: Queryable,
  { intent = start, main }: { intent?: KeyIntent | undefined; main?: Queryable } = {},
): Promise<void> {
  const keys = keysOf(config);
  const isVaultAlone = main !== undefined;
  const given = checksOf(keys).filter(({ setting }) => !isVaultAlone || setting === 'VAULT_KEYS');
  const decide = async () => {
    const stored = await readKeys(database, isVaultAlone);
    const { problems, changes } = decideKeys(given, stored, intent);
    refuse(problems);
    return { changes, used: stored.used, isNew: stored.checks.length === 0 };
  };
  const { changes } = await decide();
  if (changes.length === 0) return;
  await changeChecks(database, async () => {
    const { changes: now, used, isNew } = await decide();
    if (isNew && intent.givesUp !== 'everything') {
      // Needed once in the life of a database.
      const { verifyKeys } = await import('./verify-keys.ts');
      refuse(await verifyKeys({ database, main: main ?? database, isVaultAlone }, keys, used));
    }
    return now;
  });
}

/** The settings without which rows of the audit log can be neither hashed nor verified. */
export const auditSettings: readonly CheckedSetting[] = ['AUDIT_KEYS', 'FINGERPRINT_KEY'];

/** The same for a command that changes nothing, and for a database that is not migrated yet. */
export async function assertKeys(
  config: Config,
  database: Queryable,
  { only, intent = start }: { only?: readonly CheckedSetting[]; intent?: KeyIntent } = {},
): Promise<void> {
  const isAsked = ({ setting }: KeyCheck): boolean => only?.includes(setting) ?? true;
  if (!(await keepsChecks(database))) return;
  const checks = (await readChecks(database)).filter(isAsked);
  if (checks.length === 0) return;
  const given = checksOf(keysOf(config)).filter(isAsked);
  refuse(decideKeys(given, { checks, used: [] }, intent).problems);
}

/**
 * The checks that a backup carries, and what is wrong with the keys of the settings. The checks are those of the database:
 * with keys that only one command has, a backup would refuse the right ones at its restore.
 */
export async function keysOfBackup(
  config: Config,
  database: Queryable,
  used: readonly string[],
): Promise<{ keys: KeyChecks; problems: string[] }> {
  const given = checksOf(keysOf(config));
  const checks = (await keepsChecks(database)) ? await readChecks(database) : [];
  const { problems } = decideKeys(given, { checks, used });
  const needed = checks.filter(
    ({ setting, keyId, state }) =>
      state === 'first' || (state === 'former' && (setting === 'AUDIT_KEYS' || used.includes(keyId))),
  );
  return { keys: keyChecksOf(checks.length === 0 ? given : needed), problems };
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new ConfigError([...problems, 'The keys were not accepted: see docs/self-hosting/keys.md.'].join('\n'));
}
