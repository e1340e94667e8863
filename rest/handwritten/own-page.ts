import type { IncomingMessage } from 'node:http';
import type { Config } from '../../src/kit/config.ts';
import { Forbidden } from '../../src/kit/errors.ts';

/** How browsers name the origin of the pages of plugins, which belong to none. */
export const noOrigin = 'null';

/**
 * Pages of other sites may not ask, even with a link that somebody passed on. A plugin's page names no origin; neither would a frame
 * that another site puts into such a box, but nothing is sent along with its calls: what opens a session is its secret alone.
 */
export function assertOwnPage(
  { allowedOrigins }: Pick<Config, 'allowedOrigins'>,
  { headers: { origin } }: Pick<IncomingMessage, 'headers'>,
): void {
  if (origin === undefined || origin === noOrigin || allowedOrigins.includes(origin)) return;
  throw new Forbidden('origin_not_allowed', 'origin_not_allowed: this is for the pages of this platform only.');
}

/** Lets a page without an origin read the answer. */
export function corsHeaders({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): Record<string, string> {
  return { Vary: 'Origin', ...(origin === noOrigin && { 'Access-Control-Allow-Origin': noOrigin }) };
}

/** What a browser asks before it lets such a page send JSON. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Max-Age': '600',
} as const;
