import { createHmac, hkdfSync } from 'node:crypto';

/**
 * What FINGERPRINT_KEY is for beside the fingerprints of cards. Each purpose has a key of its own, so that the value of
 * one is never the value of another. Fingerprints keep the key itself: stored ones must go on to match.
 */
export type KeyPurpose = 'request-hash' | 'checkout-token' | 'client-session' | 'connect-state';

const derived = new WeakMap<Buffer, Map<KeyPurpose, Buffer>>();

/** A keyed hash of a text for one purpose. */
export function keyedHash(root: Buffer, purpose: KeyPurpose, text: string): string {
  const keys = derived.get(root) ?? new Map<KeyPurpose, Buffer>();
  derived.set(root, keys);
  const key = keys.get(purpose) ?? Buffer.from(hkdfSync('sha256', root, '', `platform/${purpose}/1`, 32));
  keys.set(purpose, key);
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** The keyed hash of versions before 0.2, which used one key for every purpose. What they stored goes on to work. */
export function earlierKeyedHash(root: Buffer, text: string): string {
  return createHmac('sha256', root).update(text).digest('base64url');
}
