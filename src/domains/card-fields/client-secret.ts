import { createHash, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../kit/derived-key.ts';
import type { Config } from '../../runtime/config.ts';

/**
 * The secret that opens a client session, with the session's id in front. It is derived from the id with a key of the
 * platform, so that a repeat of the call that created the session returns it too and only its hash is stored.
 */
export function clientSecretOf({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, sessionId: string): string {
  return `${sessionId}_secret_${keyedHash(fingerprintKey, 'client-session', sessionId)}`;
}

export function secretHashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** The id of the session that a text claims to open. Null if it is not a client secret. */
export function sessionIdIn(secret: string): string | null {
  return /^(cs_[0-9A-Za-z]{22})_secret_[0-9A-Za-z_-]{43}$/.exec(secret)?.[1] ?? null;
}

export function isSecretOf({ secretHash }: { secretHash: string }, secret: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash), Buffer.from(secretHashOf(secret)));
}
