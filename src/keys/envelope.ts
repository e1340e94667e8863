import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/** A record is missing or cannot be decrypted. The message contains ids only, never content. */
export class VaultFailure extends Error {
  override readonly name = 'VaultFailure';
}

/**
 * Envelope encryption: each record has its own data key, wrapped by a key of the ring. Rotating a key of the ring
 * changes 60 bytes of each record and never its content.
 */
interface WrappedKey {
  keyId: string;
  wrapped: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A new data key, in clear for this call and wrapped for storage. `context` binds it to its record. */
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

/** The same data key, wrapped under the newest key of the ring and bound to `context`. */
export function rewrapDataKey(ring: KeyRing, old: WrappedKey, context: string): WrappedKey {
  const bytes = open(keyOf(ring, old.keyId), old.wrapped, wrapContext(context));
  const wrapped = seal(keyOf(ring, ring.newestId), bytes, wrapContext(context));
  bytes.fill(0);
  return { keyId: ring.newestId, wrapped };
}

/** Nonce, ciphertext and tag in one buffer. It can be decrypted only with the same key and the same `context`. */
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
    // Without the cause: an error must contain nothing that was decrypted.
    throw unreadable(context);
  }
}

function keyOf(ring: KeyRing, keyId: string): KeyObject {
  const key = ring.keys.get(keyId);
  if (key === undefined)
    throw new VaultFailure(`The key ring has no key "${keyId}", which something stored still needs.`);
  return key;
}

/** Differs from the content's own context, so that a wrapped key cannot be used as content. */
function wrapContext(context: string): string {
  return `data-key:${context}`;
}

function unreadable(context: string): VaultFailure {
  return new VaultFailure(
    `What is stored for "${context}" cannot be decrypted: it was altered, moved, or sealed with another key.`,
  );
}

/**
 * Encrypts small secrets that must be read back (signing secrets, tokens of a processor), as one line of text for a
 * column of the domain that owns them. `context` names the row, as in `webhook:wh_1`: the text can be decrypted only
 * with it.
 */
export function encryptSecret(ring: KeyRing, secret: string, context: string): string {
  const { dataKey, wrappedKey } = newDataKey(ring, context);
  return write(wrappedKey, seal(dataKey, Buffer.from(secret), context));
}

export function decryptSecret(ring: KeyRing, text: string, context: string): string {
  const { wrappedKey, sealed } = read(text, context);
  return open(unwrapDataKey(ring, wrappedKey, context), sealed, context).toString();
}

/** The same secret with its data key wrapped under the newest key of the ring. */
export function rewrapSecret(ring: KeyRing, text: string, context: string): string {
  const { wrappedKey, sealed } = read(text, context);
  return write(rewrapDataKey(ring, wrappedKey, context), sealed);
}

const version = 'v1';

function write({ keyId, wrapped }: WrappedKey, sealed: Buffer): string {
  return [version, keyId, wrapped.toString('base64url'), sealed.toString('base64url')].join('.');
}

function read(text: string, context: string): { wrappedKey: WrappedKey; sealed: Buffer } {
  const [found, keyId, wrapped, sealed, ...more] = text.split('.');
  if (found !== version || keyId === undefined || wrapped === undefined || sealed === undefined || more.length > 0) {
    throw new VaultFailure(`What is stored for "${context}" is not an encrypted secret.`);
  }
  return {
    wrappedKey: { keyId, wrapped: Buffer.from(wrapped, 'base64url') },
    sealed: Buffer.from(sealed, 'base64url'),
  };
}
