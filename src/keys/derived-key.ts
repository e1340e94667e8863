import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * The purposes of FINGERPRINT_KEY in addition to the fingerprints of cards. Each purpose has its own derived key, so
 * that the value for one is never the value for another. Fingerprints use the key itself, since stored ones must
 * continue to match.
 */
export type KeyPurpose =
  | 'request-hash'
  | 'checkout-token'
  | 'client-session'
  | 'cardholder-link'
  | 'connect-state'
  | 'export'
  | 'backup'
  | 'known-device';

/** As key objects, since hashing with the bytes of a key takes six times as long. */
const derived = new WeakMap<Buffer, Map<KeyPurpose, KeyObject>>();

/** A keyed hash of a text for one purpose. */
export function keyedHash(root: Buffer, purpose: KeyPurpose, text: string): string {
  return createHmac('sha256', keyOf(root, purpose)).update(text).digest('base64url');
}

/** A key of 256 bits that seals texts for one purpose. */
export function sealingKey(root: Buffer, purpose: KeyPurpose): KeyObject {
  return keyOf(root, purpose);
}

function keyOf(root: Buffer, purpose: KeyPurpose): KeyObject {
  const keys = derived.get(root) ?? new Map<KeyPurpose, KeyObject>();
  derived.set(root, keys);
  const bytes = () => Buffer.from(hkdfSync('sha256', root, '', `platform/${purpose}/1`, 32));
  const key = keys.get(purpose) ?? createSecretKey(bytes());
  keys.set(purpose, key);
  return key;
}
