import type { IncomingMessage } from 'node:http';
import { Forbidden } from '../../src/kit/errors.ts';
import type { Config } from '../../src/runtime/config.ts';

/** The Origin header of a plugin's page, which is sandboxed and has no origin. */
const noOrigin = 'null';

/**
 * Rejects requests of other sites' pages, even with the URL of a session. A plugin's page has no origin. A sandboxed
 * frame of another site has none either, but its requests carry no cookies: only the token opens a session.
 */
export function assertOwnPage(
  { allowedOrigins }: Pick<Config, 'allowedOrigins'>,
  { headers: { origin } }: Pick<IncomingMessage, 'headers'>,
): void {
  if (origin === undefined || origin === noOrigin || allowedOrigins.includes(origin)) return;
  throw new Forbidden('origin_not_allowed', 'origin_not_allowed: this is for the pages of this platform only.');
}

/** Allows a page without an origin to read the answer. */
export function corsHeaders({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): Record<string, string> {
  return { Vary: 'Origin', ...(origin === noOrigin && { 'Access-Control-Allow-Origin': noOrigin }) };
}

/** The answer to the preflight request that a browser sends before such a page may send JSON. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Max-Age': '600',
} as const;
