import { createHmac, type KeyObject } from 'node:crypto';
import { idsInUse, type KeyChecks } from '../database/keys/used-keys.ts';
import { type Queryable, queryRow, sql } from '../database/sql.ts';
import { parseKeyRing } from './key-ring.ts';

/** The keys that the rows of a database need, by setting and id. A key without an id has the id ''. */
export interface Keys {
  vaultKeys: string;
  auditKeys: string;
  fingerprintKey: Buffer;
  /** Null with an identity provider that has its own. */
  idpSecret: string | null;
}

export type CheckedSetting = 'VAULT_KEYS' | 'AUDIT_KEYS' | 'FINGERPRINT_KEY' | 'IDP_SECRET';

/** A key by a value that identifies it. The key cannot be computed from the value. */
export interface KeyCheck {
  setting: CheckedSetting;
  keyId: string;
  check: string;
}

/** The checks of all keys; those of a ring are in the order of the ring. */
export function checksOf({ vaultKeys, auditKeys, fingerprintKey, idpSecret }: Keys): KeyCheck[] {
  const ring = (setting: CheckedSetting, text: string): KeyCheck[] =>
    [...parseKeyRing(text).keys].map(([keyId, key]) => ({ setting, keyId, check: checkOf(key) }));
  const one = (setting: CheckedSetting, key: Buffer): KeyCheck => ({ setting, keyId: '', check: checkOf(key) });
  return [
    ...ring('VAULT_KEYS', vaultKeys),
    // The derived key is that of FINGERPRINT_KEY.
    ...ring('AUDIT_KEYS', auditKeys).filter(({ keyId }) => keyId !== 'derived'),
    one('FINGERPRINT_KEY', fingerprintKey),
    ...(idpSecret === null ? [] : [one('IDP_SECRET', bytesOf(idpSecret))]),
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

export function keyChecksOf(checks: readonly KeyCheck[]): KeyChecks {
  const all: KeyChecks = {};
  for (const { setting, keyId, check } of checks) (all[setting] ??= {})[keyId] = check;
  return all;
}

/** The keys of a backup that are missing or differ, one sentence each. */
export function missingKeys(needed: KeyChecks, given: KeyChecks): string[] {
  return Object.entries(needed).flatMap(([setting, checks]) =>
    Object.entries(checks).flatMap(([id, check]) => {
      const found = given[setting]?.[id];
      if (found === check) return [];
      const key = keyName(setting, id);
      return [found === undefined ? `${key} is missing` : `${key} is another key than that of the backup`];
    }),
  );
}

/** The name of a key in a message. */
function keyName(setting: string, id: string): string {
  return id === '' ? setting : `the key "${id}" of ${setting}`;
}

/** The text is that of the first backups, whose checks must continue to match. */
function checkOf(key: KeyObject | Buffer): string {
  return createHmac('sha256', key).update('backup key check').digest('base64url').slice(0, 22);
}

/** Held by the process that writes checks: of two concurrent first starts, the second finds the keys of the first. */
const keysLock = 471_100_017;

/** Whether a database has a version that stores checks. */
export async function keepsChecks(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ keeps: boolean }>(
    database,
    sql`
      SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'keys' AND tablename = 'checks') AS keeps`,
  );
  return row?.keeps ?? false;
}

/** Only the checks, also of a database whose other tables are of an earlier version. */
export async function readChecks(database: Queryable): Promise<StoredCheck[]> {
  const row = await queryRow<{ checks: StoredCheck[] }>(database, sql`SELECT (${checks}) AS checks`);
  return row?.checks ?? [];
}

/** The checks, and the keys that stored data needs. `isVaultAlone`: the database contains only cards. */
export async function readKeys(database: Queryable, isVaultAlone: boolean): Promise<StoredKeys> {
  const row = await queryRow<{ checks: StoredCheck[]; used: string[] }>(
    database,
    sql`SELECT (${checks}) AS checks, ARRAY(${idsInUse(isVaultAlone)}) AS used`,
  );
  return { checks: row?.checks ?? [], used: row?.used ?? [] };
}

const checks = sql`
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object('setting', setting, 'keyId', "keyId", 'check', "check", 'state', state)
      ORDER BY array_position(ARRAY['VAULT_KEYS', 'AUDIT_KEYS', 'FINGERPRINT_KEY', 'IDP_SECRET'], setting), "keyId"
    ),
    '[]'
  )
  FROM keys.checks`;

/** Repeats the decision under the lock for writing checks, and stores its changes. */
export async function changeChecks(database: Queryable, decide: () => Promise<readonly StoredCheck[]>): Promise<void> {
  await database.query('BEGIN');
  try {
    await queryRow(database, sql`SELECT pg_advisory_xact_lock(${keysLock})`);
    for (const { setting, keyId, check, state } of await decide())
      await queryRow(
        database,
        sql`
          INSERT INTO keys.checks (setting, "keyId", "check", state)
          VALUES (${setting}, ${keyId}, ${check}, ${state})
          ON CONFLICT (setting, "keyId") DO UPDATE
          SET "check" = excluded."check", state = excluded.state, "changedAt" = now()`,
      );
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * `announced`: known, and encrypts nothing yet. `first`: encrypts. `former`: encrypted before, and stored data may need
 * it. `recalled`: the same, and may become first again. `lost`: given up by an operator.
 */
type KeyState = 'announced' | 'first' | 'former' | 'recalled' | 'lost';

export interface StoredCheck extends KeyCheck {
  state: KeyState;
}

/** The keys that a database knows. */
interface StoredKeys {
  checks: readonly StoredCheck[];
  /** The ids of the keys of VAULT_KEYS that stored data needs. */
  used: readonly string[];
}

/** Whether rows may need a key of a setting that none of them names: any row of the audit log may. */
export function mayBeNeeded({ setting, state }: Pick<StoredCheck, 'setting' | 'state'>): boolean {
  return state === 'first' || (setting === 'AUDIT_KEYS' && (state === 'former' || state === 'recalled'));
}

/** What may change in addition to what a start may change. */
export interface KeyIntent {
  /** Whether the first key may be a new one, or one that was first before. */
  announces: boolean;
  /** Whether the process encrypts with the first keys from now on. */
  uses: boolean;
  /** Keys that are given up if they are missing or differ, as `SETTING` or `SETTING:id`. */
  givesUp: 'everything' | readonly string[];
}

export const start: KeyIntent = { announces: false, uses: true, givesUp: [] };

export interface KeyDecision {
  /** One sentence each. If there is one, nothing changes. */
  problems: string[];
  changes: StoredCheck[];
}

const rings: readonly CheckedSetting[] = ['VAULT_KEYS', 'AUDIT_KEYS'];

/** Compares the keys of a process with those of its database. If no checks are stored, the given keys are accepted. */
export function decideKeys(given: readonly KeyCheck[], stored: StoredKeys, intent: KeyIntent = start): KeyDecision {
  const isNew = stored.checks.length === 0;
  const givesUp = (one: Pick<KeyCheck, 'setting' | 'keyId'>): boolean =>
    intent.givesUp === 'everything' || intent.givesUp.includes(fullNameOf(one));
  const givenUp = new Map<string, StoredCheck>();
  for (const one of stored.checks) {
    const mine = given.find((other) => fullNameOf(one) === fullNameOf(other));
    if (mine?.check === one.check || !givesUp(one)) continue;
    const state = mine && one.state !== 'lost' ? one.state : 'lost';
    givenUp.set(fullNameOf(one), { ...one, check: mine?.check ?? one.check, state });
  }
  // Stored data needs keys that a version without checks used.
  for (const keyId of stored.used) {
    const one: StoredCheck = { setting: 'VAULT_KEYS', keyId, check: '', state: 'lost' };
    const isKnown = [...given, ...stored.checks].some((other) => fullNameOf(one) === fullNameOf(other));
    if (!isKnown && givesUp(one)) givenUp.set(fullNameOf(one), one);
  }
  const known = stored.checks.map((one) => givenUp.get(fullNameOf(one)) ?? one);
  const lost = new Set([...known, ...givenUp.values()].filter(({ state }) => state === 'lost').map(fullNameOf));
  const used = stored.used.filter((keyId) => !lost.has(fullNameOf({ setting: 'VAULT_KEYS', keyId })));
  const parts = [...new Set([...given, ...known].map(({ setting }) => setting))].map((setting) => {
    const mine = given.filter((one) => one.setting === setting);
    // Without its setting it is not used, such as IDP_SECRET with another identity provider.
    if (mine.length === 0 && setting === 'IDP_SECRET') return { problems: [], changes: [] };
    const theirs = known.filter((one) => one.setting === setting && one.state !== 'lost');
    const needs = setting === 'VAULT_KEYS' ? used : [];
    return rings.includes(setting)
      ? decideRing({ setting, mine, theirs, used: needs, all: known, isNew }, intent)
      : decideKey(mine, theirs, known);
  });
  const problems = parts.flatMap((part) => part.problems);
  if (problems.length > 0) return { problems, changes: [] };
  const changed = new Map(givenUp);
  for (const one of parts.flatMap(({ changes }) => changes)) changed.set(fullNameOf(one), one);
  return { problems, changes: [...changed.values()] };
}

function decideKey(
  mine: readonly KeyCheck[],
  theirs: readonly StoredCheck[],
  all: readonly StoredCheck[],
): KeyDecision {
  const decision: KeyDecision = { problems: [], changes: [] };
  for (const one of mine) {
    const other = theirs[0];
    if (other === undefined) decision.changes.push({ ...one, state: 'first' });
    else if (other.check !== one.check) decision.problems.push(otherKey(one, all));
  }
  return decision;
}

interface Ring {
  setting: CheckedSetting;
  /** In the order of the ring; empty for a ring that contains only the derived key. */
  mine: readonly KeyCheck[];
  theirs: readonly StoredCheck[];
  used: readonly string[];
  /** Of every setting, to detect settings that were swapped. */
  all: readonly StoredCheck[];
  isNew: boolean;
}

function decideRing({ setting, mine, theirs, used, all, isNew }: Ring, { announces, uses }: KeyIntent): KeyDecision {
  const has = (id: string): boolean => mine.some(({ keyId }) => keyId === id);
  const [first] = mine;
  const before = theirs.find(({ state }) => state === 'first');
  const problems: string[] = [];
  const changes: StoredCheck[] = [];
  for (const [place, one] of mine.entries()) {
    const other = theirs.find(({ keyId }) => keyId === one.keyId);
    if (other && other.check !== one.check) problems.push(otherKey(one, all));
    else if (place > 0) {
      const state = isNew || used.includes(one.keyId) ? 'former' : 'announced';
      if (!other) changes.push({ ...one, state });
    } else if (isNew) changes.push({ ...one, state: 'first' });
    else if (!other && !announces) problems.push(unknownKey(one, before, all));
    else if (other?.state === 'former' && !announces) problems.push(staleKey(one, before));
    else if (uses && other?.state !== 'first') changes.push({ ...one, state: 'first' });
    else if (!uses && other === undefined) changes.push({ ...one, state: 'announced' });
    else if (!uses && other?.state === 'former') changes.push({ ...one, state: 'recalled' });
  }
  const missing = new Set([
    ...theirs.filter((one) => !has(one.keyId) && mayBeNeeded(one)).map(({ keyId }) => keyId),
    ...used.filter((id) => !has(id)),
  ]);
  for (const id of missing) problems.push(missingKey(setting, id));
  if (uses && before && first && before.keyId !== first.keyId) changes.push({ ...before, state: 'former' });
  return { problems, changes };
}

/** The name of a key in commands. */
export function fullNameOf({ setting, keyId }: Pick<KeyCheck, 'setting' | 'keyId'>): string {
  return keyId === '' ? setting : `${setting}:${keyId}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where else the bytes of a key are known, which shows what was mixed up. */
function origin(mine: KeyCheck, all: readonly StoredCheck[]): string {
  const other = all.find((one) => one.check === mine.check && fullNameOf(one) !== fullNameOf(mine));
  return other === undefined ? '' : `: it is ${keyName(other.setting, other.keyId)}, so the two are exchanged`;
}

function otherKey(one: KeyCheck, all: readonly StoredCheck[]): string {
  return (
    `${capital(keyName(one.setting, one.keyId))} is another key than the one of this installation` +
    `${origin(one, all)}. Put the one of before back, from the copy of the secrets.`
  );
}

function unknownKey(one: KeyCheck, before: StoredCheck | undefined, all: readonly StoredCheck[]): string {
  const named = before ? `, whose first key is "${before.keyId}"` : '';
  return (
    `The first key of ${one.setting}, "${one.keyId}", is not known to this installation${named}${origin(one, all)}. Set ` +
    `${one.setting} as the other processes have it, or announce a new key with \`npm run keys:announce\`.`
  );
}

function staleKey(one: KeyCheck, before: StoredCheck | undefined): string {
  const named = before ? `"${before.keyId}"` : 'another one';
  return (
    `The first key of ${one.setting} is "${one.keyId}", which was replaced by ${named}. Put ${named} first, as the other ` +
    'processes have it; to go back to an earlier key, run `npm run keys:announce`.'
  );
}

function missingKey(setting: CheckedSetting, id: string): string {
  return (
    `${setting} lacks the key "${id}", which this installation ${setting === 'AUDIT_KEYS' ? 'hashes' : 'encrypts'} with ` +
    'or which something stored needs. Put it back, from the copy of the secrets.'
  );
}
