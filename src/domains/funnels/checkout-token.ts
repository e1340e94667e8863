import { createHash, createHmac } from 'node:crypto';
import type { Config } from '../../runtime/config.ts';

/**
 * The secret in the URLs of a session's pages. It is derived from the session's id with a key of the platform, so that
 * it is not stored: the database contains only its hash, and no stored answer contains it.
 */
export function checkoutToken({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, sessionId: string): string {
  return createHmac('sha256', fingerprintKey).update(`funnel-session/${sessionId}`).digest('base64url');
}

export function tokenHashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function isCheckoutToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
