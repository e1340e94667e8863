import { createHash, createHmac } from 'node:crypto';
import type { Config } from '../kit/config.ts';

/**
 * The secret in the links of a session's pages. It is made from the session's id under a key of ours, so that each answer can
 * name the link and nothing has to keep it: the database knows its hash alone, and no stored answer holds it.
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
