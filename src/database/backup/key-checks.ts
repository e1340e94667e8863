import { createHmac, type KeyObject } from 'node:crypto';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';

/** The keys that the rows of a database need, by setting and id. A key without an id has the id ''. */
export interface Keys {
  vaultKeys: string;
  auditKeys: string;
  fingerprintKey: Buffer;
  idpSecret: string | null;
}

/** By setting and id of a key, a value by which it is known again. The key cannot be computed from it. */
export type KeyChecks = Record<string, Record<string, string>>;

export function keyChecksOf({ vaultKeys, auditKeys, fingerprintKey, idpSecret }: Keys): KeyChecks {
  const ring = (text: string): Record<string, string> =>
    Object.fromEntries([...parseKeyRing(text).keys].map(([id, key]) => [id, checkOf(key)]));
  return {
    VAULT_KEYS: ring(vaultKeys),
    // The key that is derived is that of FINGERPRINT_KEY.
    AUDIT_KEYS: Object.fromEntries(Object.entries(ring(auditKeys)).filter(([id]) => id !== 'derived')),
    FINGERPRINT_KEY: { '': checkOf(fingerprintKey) },
    ...(idpSecret !== null && { IDP_SECRET: { '': checkOf(Buffer.from(idpSecret, 'base64')) } }),
  };
}

/** What keys lack of those of a backup, a sentence each. */
export function missingKeys(needed: KeyChecks, given: KeyChecks): string[] {
  return Object.entries(needed).flatMap(([setting, checks]) =>
    Object.entries(checks).flatMap(([id, check]) => {
      const found = given[setting]?.[id];
      if (found === check) return [];
      const key = id === '' ? setting : `the key "${id}" of ${setting}`;
      return [found === undefined ? `${key} is missing` : `${key} is another key than that of the backup`];
    }),
  );
}

function checkOf(key: KeyObject | Buffer): string {
  return createHmac('sha256', key).update('backup key check').digest('base64url').slice(0, 22);
}
