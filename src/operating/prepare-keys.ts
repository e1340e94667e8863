import type { KeyChecks } from '../database/keys/used-keys.ts';
import type { Queryable } from '../database/sql.ts';
import {
  type CheckedSetting,
  changeChecks,
  checksOf,
  decideKeys,
  fullNameOf,
  type KeyCheck,
  type KeyIntent,
  type Keys,
  keepsChecks,
  keyChecksOf,
  mayBeNeeded,
  readChecks,
  readKeys,
  type StoredCheck,
  start,
} from '../keys/checks.ts';
import { type Config, ConfigError } from '../settings/config.ts';

/** The keys of the settings that the rows of the database need. */
export function keysOf({ vaultKeys, auditKeys, fingerprintKey, identity }: Config): Keys {
  return { vaultKeys, auditKeys, fingerprintKey, idpSecret: identity.kind === 'embedded' ? identity.secret : null };
}

/** How keys are checked. */
export interface CheckOptions {
  intent?: KeyIntent | undefined;
  /** The main database, given only with the database of the vault. */
  main?: Queryable;
  /**
   * Checks the database of the vault, before anything is stored here, so that an error changes neither database.
   * Returns whether the vault's database was available.
   */
  checkVault?: () => Promise<boolean>;
}

/**
 * Compares the keys of the settings with those of the database, and stores what a start or command may change. Throws
 * if a key is wrong, and changes nothing then. If the database has no checks of a setting, its keys are accepted if
 * they open the stored data; of several concurrent starts the first one decides. While the database of the vault is
 * unavailable, nothing of VAULT_KEYS changes.
 */
export async function checkKeys(
  config: Config,
  database: Queryable,
  { intent = start, main, checkVault: settleVault = async () => true }: CheckOptions = {},
): Promise<void> {
  const keys = keysOf(config);
  const isVaultAlone = main !== undefined;
  const given = checksOf(keys).filter(({ setting }) => !isVaultAlone || setting === 'VAULT_KEYS');
  const decide = async (): Promise<readonly StoredCheck[]> => {
    const stored = await readKeys(database, isVaultAlone);
    const { problems, changes } = decideKeys(given, stored, intent);
    refuse(problems);
    const isNew = changes.some(({ setting }) => stored.checks.every((one) => one.setting !== setting));
    if (!isNew || intent.givesUp === 'everything') return changes;
    // Needed once in the life of a database, or of a setting.
    const { verifyKeys } = await import('./verify-keys.ts');
    const wrong = await verifyKeys({ database, main: main ?? database, isVaultAlone }, keys, stored.used);
    refuse(wrong.filter(({ name }) => !intent.givesUp.includes(name)).map(({ problem }) => problem));
    const lost = wrong.flatMap(({ name }) => {
      const [setting, keyId = ''] = name.split(':') as [CheckedSetting, string?];
      return given.some((one) => fullNameOf(one) === name)
        ? []
        : [{ setting, keyId, check: '', state: 'lost' as const }];
    });
    return [...changes, ...lost];
  };
  const changes = await decide();
  const isVaultThere = await settleVault();
  const settled = isVaultThere ? changes : withoutVault(changes, intent);
  if (settled.length === 0) return;
  await changeChecks(database, async () => (isVaultThere ? decide() : withoutVault(await decide(), intent)));
}

/**
 * The changes without those of VAULT_KEYS. A key that encrypts nothing yet is recorded by a later start; other changes
 * throw.
 */
function withoutVault(changes: readonly StoredCheck[], { announces }: KeyIntent): readonly StoredCheck[] {
  const ofVault = changes.filter(({ setting }) => setting === 'VAULT_KEYS');
  if (announces ? ofVault.length > 0 : ofVault.some(({ state }) => state !== 'announced'))
    throw new ConfigError(
      'The database of the vault is away, and VAULT_KEYS are not those of before: they can be changed only while it is ' +
        'there.',
    );
  return changes.filter(({ setting }) => setting !== 'VAULT_KEYS');
}

/** What is wrong with VAULT_KEYS for the cards of a separate database, one sentence each. */
export async function wrongKeysOfCards(config: Config, vault: Queryable): Promise<string[]> {
  const given = checksOf(keysOf(config)).filter(({ setting }) => setting === 'VAULT_KEYS');
  return decideKeys(given, await readKeys(vault, true)).problems;
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
 * The checks in a backup, and what is wrong with the keys of the settings. The checks are those of the database: with
 * the keys of one command, a backup would reject the right ones at its restore.
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
    (one) => mayBeNeeded(one) || (one.setting === 'VAULT_KEYS' && one.state !== 'lost' && used.includes(one.keyId)),
  );
  return { keys: keyChecksOf(checks.length === 0 ? given : needed), problems };
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new ConfigError([...problems, 'The keys were not accepted: see docs/self-hosting/keys.md.'].join('\n'));
}
