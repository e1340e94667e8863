import { createHmac, type KeyObject } from 'node:crypto';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';

/** The keys that the rows of a database need, by setting and id. A key without an id has the id ''. */
export interface Keys {
  vaultKeys: string;
  auditKeys: string;
  fingerprintKey: Buffer;
  /** Null with an identity provider that has its own. */
  idpSecret: string | null;
}

export type CheckedSetting = 'VAULT_KEYS' | 'AUDIT_KEYS' | 'FINGERPRINT_KEY' | 'IDP_SECRET';

/** A key by a value by which it is known again. The key cannot be computed from it. */
export interface KeyCheck {
  setting: CheckedSetting;
  keyId: string;
  check: string;
}

/** The same by setting and id, as a backup has it. */
export type KeyChecks = Record<string, Record<string, string>>;

/** The checks of all keys, those of a ring in the order of the ring. */
export function checksOf({ vaultKeys, auditKeys, fingerprintKey, idpSecret }: Keys): KeyCheck[] {
  const ring = (setting: CheckedSetting, text: string): KeyCheck[] =>
    [...parseKeyRing(text).keys].map(([keyId, key]) => ({ setting, keyId, check: checkOf(key) }));
  const one = (setting: CheckedSetting, key: Buffer): KeyCheck => ({ setting, keyId: '', check: checkOf(key) });
  return [
    ...ring('VAULT_KEYS', vaultKeys),
    // The key that is derived is that of FINGERPRINT_KEY.
    ...ring('AUDIT_KEYS', auditKeys).filter(({ keyId }) => keyId !== 'derived'),
    one('FINGERPRINT_KEY', fingerprintKey),
    ...(idpSecret === null ? [] : [one('IDP_SECRET', bytesOf(idpSecret))]),
  ];
}

/** The provider uses the text, and base64 has four of the same bytes: another one than the usual is another secret. */
function bytesOf(secret: string): Buffer {
  const bytes = Buffer.from(secret, 'base64');
  return bytes.toString('base64') === secret ? bytes : Buffer.from(secret, 'utf8');
}

export function keyChecksOf(checks: readonly KeyCheck[]): KeyChecks {
  const all: KeyChecks = {};
  for (const { setting, keyId, check } of checks) (all[setting] ??= {})[keyId] = check;
  return all;
}

/** What keys lack of those of a backup, a sentence each. */
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

/** A key as a sentence names it. */
export function keyName(setting: string, id: string): string {
  return id === '' ? setting : `the key "${id}" of ${setting}`;
}

/** The text is that of the first backups, whose checks must go on to match. */
function checkOf(key: KeyObject | Buffer): string {
  return createHmac('sha256', key).update('backup key check').digest('base64url').slice(0, 22);
}
