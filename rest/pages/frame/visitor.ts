import type { IncomingMessage } from 'node:http';
import { anonymous, type Caller, type SessionCaller } from '../../../src/auth/caller.ts';
import { authenticateSession } from '../../../src/iam/public.ts';
import { Forbidden, NotAuthorized } from '../../../src/lib/errors.ts';
import type { Services } from '../../../src/services.ts';
import type { Config } from '../../../src/settings/config.ts';

/** The Origin header of a plugin's page, which is sandboxed and has no origin. */
const noOrigin = 'null';

/**
 * Rejects requests of other sites' pages, even with the URL of a session. A plugin's page has no origin. A sandboxed
 * frame of another site has none either, but its requests carry no cookies, so only the token grants access to a
 * session.
 */
export function assertVisitorPage(
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

/** The user of the browser's session cookie; anonymous without one, or if the session has ended. */
export async function visitorOf(
  services: Services,
  { headers: { cookie } }: Pick<IncomingMessage, 'headers'>,
): Promise<Exclude<Caller, { kind: 'partnerKey' | 'subKey' }> | 'mustEnroll'> {
  if (cookie === undefined) return anonymous;
  try {
    return (await authenticateSession(services, { authorization: undefined, cookie })).caller;
  } catch (error) {
    if (error instanceof NotAuthorized) return anonymous;
    // A user who must first set up a second factor.
    if (error instanceof Forbidden) return 'mustEnroll';
    throw error;
  }
}

/** The user's role as text: the roles as the API names them, and the partner. */
export function roleOf({ platformRoles, whitelabelOwnership }: SessionCaller): string {
  const roles = platformRoles.length === 0 ? 'no role' : platformRoles.join(', ');
  return whitelabelOwnership === null ? roles : `${roles} at ${whitelabelOwnership}`;
}
