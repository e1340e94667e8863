import type { WrappedKey } from './envelope.ts';
import { newDataKey, open, rewrapDataKey, seal, unwrapDataKey } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';
import { VaultFailure } from './vault-failure.ts';

/**
 * Small secrets that must be read back (signing secrets, tokens of a processor), as one line of text for a column of
 * the domain that owns them. `context` names the row, as in `webhook:wh_1`: the text opens nowhere else.
 */
export function encryptSecret(ring: KeyRing, secret: string, context: string): string {
  const { dataKey, wrappedKey } = newDataKey(ring, context);
  return write(wrappedKey, seal(dataKey, Buffer.from(secret), context));
}

export function decryptSecret(ring: KeyRing, text: string, context: string): string {
  const { wrappedKey, sealed } = read(text, context);
  return open(unwrapDataKey(ring, wrappedKey, context), sealed, context).toString();
}

/** The same secret with its data key under the newest key of the ring. */
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
