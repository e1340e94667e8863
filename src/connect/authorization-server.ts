import type * as oauth from 'oauth4webapi';
import type { Env } from '../env.ts';
import { Conflict } from '../kit/errors.ts';

export const callbackPath = '/api/public/v1/processors/cardprocessor-connect/callback';
export const testAuthorizePath = '/test/connect/authorize';
export const testTokenPath = '/test/connect/token';
export const testClientId = 'test';

/** Whose authorization page a merchant is sent to, and as which client we speak to it. */
export interface ConnectServer {
  server: oauth.AuthorizationServer & { authorization_endpoint: string; token_endpoint: string };
  clientId: string;
  /** Null for our own page, which takes a public client. */
  clientSecret: string | null;
}

/** The configured one; without one, test mode has a page of our own, and live mode has none. */
export function connectServerOf({ connect, publicUrl }: Env['config'], mode: string): ConnectServer {
  if (connect)
    return {
      server: serverAt(connect.authorizationUrl, connect.tokenUrl),
      clientId: connect.clientId,
      clientSecret: connect.clientSecret,
    };
  if (mode === 'test')
    return {
      server: serverAt(`${publicUrl}${testAuthorizePath}`, `${publicUrl}${testTokenPath}`),
      clientId: testClientId,
      clientSecret: null,
    };
  throw new Conflict(
    'connect_not_configured',
    'Connecting live processors is not set up on this platform (connect_not_configured).',
  );
}

/** Where the browser comes back. */
export function redirectUriOf({ publicUrl }: Pick<Env['config'], 'publicUrl'>): string {
  return `${publicUrl}${callbackPath}`;
}

function serverAt(authorization_endpoint: string, token_endpoint: string): ConnectServer['server'] {
  return { issuer: new URL(authorization_endpoint).origin, authorization_endpoint, token_endpoint };
}
