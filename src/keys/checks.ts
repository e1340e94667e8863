import { createHmac, type KeyObject } from 'node:crypto';
import type pg from 'pg';
import { idsInUse } from '../database/keys/used-keys.ts';
import { type Queryable, queryRow, queryRows, sql } from '../database/sql.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { parseKeyRing } from './key-ring.ts';

type Ring = 'VAULT_KEYS' | 'AUDIT_KEYS';
export type CheckedSetting = Ring | 'FINGERPRINT_KEY' | 'IDP_SECRET';

/** A key by a value that identifies it, from which it cannot be computed. A key without an id has the id ''. */
export interface KeyCheck {
  setting: CheckedSetting;
  keyId: string;
  check: string;
}

/**
 * `known`: recorded, and encrypts nothing yet. `used`: a process has encrypted with it. `replaced`: a rotation has put
 * another key in its place; it only decrypts. `retired`: an operator does without it.
 */
type KeyState = 'known' | 'used' | 'replaced' | 'retired';

export interface StoredCheck extends KeyCheck {
  state: KeyState;
}

/** The checks of all keys of the settings; those of a ring are in the order of the ring. */
export function checksOf({ vaultKeys, auditKeys, fingerprintKey, identity }: Config): KeyCheck[] {
  const ring = (setting: Ring, text: string): KeyCheck[] =>
    [...parseKeyRing(text).keys].map(([keyId, key]) => ({ setting, keyId, check: checkOf(key) }));
  const one = (setting: CheckedSetting, key: Buffer): KeyCheck => ({ setting, keyId: '', check: checkOf(key) });
  return [
    ...ring('VAULT_KEYS', vaultKeys),
    // The derived key is that of FINGERPRINT_KEY.
    ...ring('AUDIT_KEYS', auditKeys).filter(({ keyId }) => keyId !== 'derived'),
    one('FINGERPRINT_KEY', fingerprintKey),
    ...(identity.kind === 'embedded' ? [one('IDP_SECRET', bytesOf(identity.secret))] : []),
  ];
}

/**
 * better-auth uses the secret as text. Only the canonical base64 form is decoded, since another spelling of the same
 * bytes is another secret.
 */
function bytesOf(secret: string): Buffer {
  const bytes = Buffer.from(secret, 'base64');
  return bytes.toString('base64') === secret ? bytes : Buffer.from(secret, 'utf8');
}

function checkOf(key: KeyObject | Buffer): string {
  return createHmac('sha256', key).update('backup key check').digest('base64url').slice(0, 22);
}

/** The checks of a database, without the keys that are retired. None if it has no tables yet. */
export async function readChecks(database: Queryable): Promise<StoredCheck[]> {
  const row = await queryRow(database, sql`SELECT FROM pg_tables WHERE schemaname = 'keys' AND tablename = 'checks'`);
  if (!row) return [];
  return queryRows<StoredCheck>(
    database,
    sql`SELECT setting, "keyId", "check", state FROM keys.checks WHERE state <> 'retired' ORDER BY setting DESC, "keyId"`,
  );
}

/** The ids of the keys of VAULT_KEYS that rows need. `isVaultAlone`: the database contains only cards. */
async function neededIds(database: Queryable, isVaultAlone: boolean): Promise<string[]> {
  const ids = await queryRows<{ id: string }>(
    database,
    sql`
      SELECT id
      FROM (${idsInUse(isVaultAlone)}) used (id)
      WHERE NOT EXISTS (
        SELECT FROM keys.checks c WHERE c.setting = 'VAULT_KEYS' AND c."keyId" = used.id AND c.state = 'retired'
      )`,
  );
  return ids.map(({ id }) => id);
}

/**
 * A `start` uses the first keys. `add` records the keys of the settings, so that processes may start with them.
 * `rotate` is a start that ends the use of all keys but the first of each ring. `restore` takes the keys as they are.
 */
export type KeyPurpose = 'start' | 'add' | 'rotate' | 'restore';

interface Comparison {
  /** One sentence each. If there is one, nothing changes. */
  problems: string[];
  changes: StoredCheck[];
}

/** Compares the keys of a process with those of its database, whose rows need `needed` of VAULT_KEYS. */
export function compareKeys(
  given: readonly KeyCheck[],
  stored: readonly StoredCheck[],
  needed: readonly string[],
  purpose: KeyPurpose = 'start',
): Comparison {
  const problems: string[] = [];
  const changes: StoredCheck[] = [];
  const isFree = stored.length === 0 || purpose === 'restore';
  for (const one of given) {
    const other = find(stored, one);
    const isFirst = given.find(({ setting }) => setting === one.setting) === one;
    const usedFirst = stored.find(({ setting, state }) => setting === one.setting && state === 'used');
    if (other && other.check !== one.check) problems.push(otherKey(one, stored));
    else if (!isFirst && !other) changes.push({ ...one, state: 'known' });
    else if (!isFirst) {
      if (purpose === 'rotate' && other?.state === 'used') changes.push({ ...one, state: 'replaced' });
    } else if (one.keyId !== '' && !isFree && !other && purpose !== 'add') problems.push(unknownKey(one, stored));
    else if (other?.state === 'replaced' && !isFree && purpose !== 'add') problems.push(replacedKey(one, usedFirst));
    else if (one.keyId !== '' && !isFree && !other) changes.push({ ...one, state: 'known' });
    else if (!other || other.state === 'replaced' || (other.state === 'known' && purpose !== 'add'))
      changes.push({ ...one, state: 'used' });
  }
  for (const one of stored)
    if (isNeeded(one, needed) && one.keyId !== '' && !find(given, one))
      problems.push(missingKey(one.setting, one.keyId));
  for (const keyId of needed) {
    const one = { setting: 'VAULT_KEYS', keyId } as const;
    if (!find(given, one) && !find(stored, one)) problems.push(missingKey('VAULT_KEYS', keyId));
  }
  return { problems, changes };
}

/** Whether something stored needs the key. Rows of the audit log may need every key that was used. */
export function isNeeded({ setting, keyId, state }: StoredCheck, needed: readonly string[]): boolean {
  if (setting === 'VAULT_KEYS') return state === 'used' || needed.includes(keyId);
  return setting !== 'AUDIT_KEYS' || state !== 'known';
}

type KeyName = Pick<KeyCheck, 'setting' | 'keyId'>;

function find<One extends KeyName>(all: readonly One[], { setting, keyId }: KeyName): One | undefined {
  return all.find((one) => one.setting === setting && one.keyId === keyId);
}

/** Held while checks are written: of two concurrent first starts, the second finds the keys of the first. */
const keysLock = 471_100_017;

/** The database of the vault, if there is a separate one: a connection to it, or the fact that it is unavailable. */
export type VaultConnection = Queryable | 'unavailable' | null;

/**
 * Compares the keys of the settings with those of the database and, if it is separate, of the vault, and stores what
 * the purpose may change. Throws if a key is wrong; neither database changes then. While the vault is unavailable, the
 * checks of VAULT_KEYS do not change.
 */
export async function checkKeys(
  config: Config,
  main: pg.ClientBase,
  vault: VaultConnection,
  purpose: KeyPurpose = 'start',
): Promise<void> {
  const given = checksOf(config);
  await inTransaction(main, async () => {
    await queryRow(main, sql`SELECT pg_advisory_xact_lock(${keysLock})`);
    const ofMain = await comparisonOf(main, given, purpose, false);
    if (vault === 'unavailable') ofMain.changes = withoutVault(ofMain.changes);
    else if (vault !== null) {
      const ofVault = await comparisonOf(vault, given.filter(isOfVault), purpose, true);
      await storeChecks(vault, ofVault.changes);
    }
    await storeChecks(main, ofMain.changes);
  });
}

async function comparisonOf(
  database: Queryable,
  given: readonly KeyCheck[],
  purpose: KeyPurpose,
  isVaultAlone: boolean,
): Promise<Comparison> {
  const needed = await neededIds(database, isVaultAlone);
  const stored = await readChecks(database);
  if (purpose !== 'restore') {
    const comparison = compareKeys(given, stored, needed, purpose);
    refuse(comparison.problems);
    return comparison;
  }
  // The operator has accepted that what other keys encrypted is lost.
  const right = stored.filter((one) => find(given, one)?.check === one.check);
  const wrong = stored.filter((one) => !right.includes(one));
  const lost = needed
    .map((keyId): StoredCheck => ({ setting: 'VAULT_KEYS', keyId, check: '', state: 'retired' }))
    .filter((one) => !find(given, one) && !find(stored, one));
  const retired = [...lost, ...wrong.map((one) => ({ ...one, state: 'retired' as const }))];
  return { problems: [], changes: [...retired, ...compareKeys(given, right, [], purpose).changes] };
}

const isOfVault = ({ setting }: KeyName): boolean => setting === 'VAULT_KEYS';

/** A key that encrypts nothing yet is recorded by a later start. */
function withoutVault(changes: readonly StoredCheck[]): StoredCheck[] {
  if (changes.some((one) => isOfVault(one) && one.state !== 'known'))
    throw new ConfigError(
      'The vault database is unavailable, and VAULT_KEYS differ from the previous ones: they can be changed only ' +
        'while it is available.',
    );
  return changes.filter((one) => !isOfVault(one));
}

export async function storeChecks(database: Queryable, checks: readonly StoredCheck[]): Promise<void> {
  for (const { setting, keyId, check, state } of checks)
    await queryRow(
      database,
      sql`
        INSERT INTO keys.checks (setting, "keyId", "check", state)
        VALUES (${setting}, ${keyId}, ${check}, ${state})
        ON CONFLICT (setting, "keyId") DO UPDATE
        SET "check" = excluded."check", state = excluded.state, "changedAt" = now()`,
    );
}

/** What is wrong with VAULT_KEYS for the cards of a separate database, one sentence each. */
export async function wrongKeysOfCards(config: Config, vault: Queryable): Promise<string[]> {
  return compareKeys(checksOf(config).filter(isOfVault), await readChecks(vault), await neededIds(vault, true))
    .problems;
}

/** Compares without a change; also a database that is not migrated yet. `only`: these settings. */
export async function assertKeys(
  config: Config,
  database: Queryable,
  { purpose = 'start', only }: { purpose?: KeyPurpose; only?: readonly CheckedSetting[] } = {},
): Promise<void> {
  const isRequested = ({ setting }: KeyName): boolean => only?.includes(setting) ?? true;
  const stored = (await readChecks(database)).filter(isRequested);
  if (purpose !== 'restore') refuse(compareKeys(checksOf(config).filter(isRequested), stored, [], purpose).problems);
}

/** The settings without which rows of the audit log can be neither hashed nor verified. */
export const auditSettings: readonly CheckedSetting[] = ['AUDIT_KEYS', 'FINGERPRINT_KEY'];

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new ConfigError([...problems, 'The keys were not accepted: see docs/self-hosting/keys.md.'].join('\n'));
}

/** The name of a key in commands. */
export function fullNameOf({ setting, keyId }: KeyName): string {
  return keyId === '' ? setting : `${setting}:${keyId}`;
}

/** The name of a key in a message. */
function keyName({ setting, keyId }: KeyName): string {
  return keyId === '' ? setting : `the key "${keyId}" of ${setting}`;
}

function otherKey(one: KeyCheck, stored: readonly StoredCheck[]): string {
  const name = keyName(one);
  return (
    `${name.charAt(0).toUpperCase()}${name.slice(1)} is not the key of this installation` +
    `${origin(one, stored)}. Restore the previous value from your secrets backup.`
  );
}

/** Where else the bytes of a key are known, which shows what was mixed up. */
function origin(mine: KeyCheck, stored: readonly StoredCheck[]): string {
  const other = stored.find((one) => one.check === mine.check && fullNameOf(one) !== fullNameOf(mine));
  return other === undefined ? '' : `: it is ${keyName(other)}, so the two are exchanged`;
}

function unknownKey(one: KeyCheck, stored: readonly StoredCheck[]): string {
  const used = stored.find(({ setting, state }) => setting === one.setting && state === 'used');
  const named = used ? `, which uses "${used.keyId}"` : '';
  return (
    `The first key of ${one.setting}, "${one.keyId}", is not known to this installation${named}${origin(one, stored)}. ` +
    `Set ${one.setting} as the other processes have it, or record a new key with \`platform keys add\`.`
  );
}

function replacedKey(one: KeyCheck, used: StoredCheck | undefined): string {
  const named = used ? `"${used.keyId}"` : 'another one';
  return (
    `The first key of ${one.setting} is "${one.keyId}", which was replaced by ${named}. Put ${named} first, as the other ` +
    'processes have it; to go back to an earlier key, run `platform keys add`.'
  );
}

function missingKey(setting: CheckedSetting, id: string): string {
  return (
    `${setting} lacks the key "${id}", which this installation ${setting === 'AUDIT_KEYS' ? 'hashes' : 'encrypts'} with ` +
    'or which something stored needs. Put it back, from the copy of the secrets.'
  );
}
