import type { KeyObject } from 'node:crypto';
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import { VaultFailure } from './vault-failure.ts';

/**
 * Envelope encryption: each record has its own data key, wrapped by a key of the ring. Rotating a key of the ring
 * changes 60 bytes of each record and never its content.
 */
export interface WrappedKey {
  keyId: string;
  wrapped: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * A fresh data key, in clear for this call and wrapped for keeping. `context` binds it to the place where it is kept.
 */
export function newDataKey(ring: KeyRing, context: string): { dataKey: KeyObject; wrappedKey: WrappedKey } {
  const bytes = randomBytes(32);
  const wrapped = seal(keyOf(ring, ring.newestId), bytes, wrapContext(context));
  const dataKey = createSecretKey(bytes);
  bytes.fill(0);
  return { dataKey, wrappedKey: { keyId: ring.newestId, wrapped } };
}

export function unwrapDataKey(ring: KeyRing, { keyId, wrapped }: WrappedKey, context: string): KeyObject {
  const bytes = open(keyOf(ring, keyId), wrapped, wrapContext(context));
  const dataKey = createSecretKey(bytes);
  bytes.fill(0);
  return dataKey;
}

/** The same data key under the newest key of the ring, and from now on in the place `context`. */
export function rewrapDataKey(ring: KeyRing, old: WrappedKey, context: string, oldContext = context): WrappedKey {
  const bytes = open(keyOf(ring, old.keyId), old.wrapped, wrapContext(oldContext));
  const wrapped = seal(keyOf(ring, ring.newestId), bytes, wrapContext(context));
  bytes.fill(0);
  return { keyId: ring.newestId, wrapped };
}

/** Nonce, ciphertext and tag in one. It opens only with the same key and the same `context`. */
export function seal(key: KeyObject, content: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

export function open(key: KeyObject, sealed: Buffer, context: string): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw unreadable(context);
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(sealed.length - tagBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()]);
  } catch {
    // Without its cause: nothing of what was decrypted so far may travel with an error.
    throw unreadable(context);
  }
}

function keyOf(ring: KeyRing, keyId: string): KeyObject {
  const key = ring.keys.get(keyId);
  if (key === undefined)
    throw new VaultFailure(`The key ring has no key "${keyId}", which something stored still needs.`);
  return key;
}

/** Apart from the content's own context, so that a wrapped key can never be passed off as content. */
function wrapContext(context: string): string {
  return `data-key:${context}`;
}

function unreadable(context: string): VaultFailure {
  return new VaultFailure(
    `What is stored for "${context}" cannot be decrypted: it was altered, moved, or sealed with another key.`,
  );
}
