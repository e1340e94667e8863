import { createHash } from 'node:crypto';
import { earlierKeyedHash, keyedHash } from '../../kit/derived-key.ts';
import type { Config } from '../../runtime/config.ts';

/**
 * The secret in the URLs of a session's pages. It is derived from the session's id with a key of the platform, so that
 * it is not stored: the database contains only its hash, and no stored answer contains it.
 */
export function checkoutToken({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, sessionId: string): string {
  return keyedHash(fingerprintKey, 'checkout-token', sessionId);
}

/** The token of a stored session, which versions before 0.2 derived in another way. */
export function tokenOfSession(
  config: Pick<Config, 'fingerprintKey'>,
  { id, tokenHash }: { id: string; tokenHash: string },
): string {
  const token = checkoutToken(config, id);
  return tokenHashOf(token) === tokenHash ? token : earlierKeyedHash(config.fingerprintKey, `funnel-session/${id}`);
}

export function tokenHashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function isCheckoutToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
