import type * as oauth from 'oauth4webapi';
import { assertModeServed } from '../../auth/sandbox.ts';
import { Conflict } from '../../kit/errors.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';

export const callbackPath = '/api/public/v1/processors/cardprocessor-connect/callback';
export const consentPath = '/api/public/v1/processors/cardprocessor-connect/consent';
export const testAuthorizePath = '/test/connect/authorize';
export const testTokenPath = '/test/connect/token';
export const testClientId = 'test';

/** The authorization server to which a merchant is sent, and the platform's client at it. */
export interface ConnectServer {
  server: oauth.AuthorizationServer & { authorization_endpoint: string; token_endpoint: string };
  clientId: string;
  /** Null for the platform's own test page, which accepts a public client. */
  clientSecret: string | null;
}

/** The configured server. Without one, test mode uses the platform's own test page, and live mode is refused. */
export function connectServerOf(config: Services['config'], mode: string): ConnectServer {
  const { connect, publicUrl } = config;
  assertModeServed(config, mode as Mode); // a CHECK constraint limits the column to the two modes
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

/** The address to which the authorization server redirects the browser. */
export function redirectUriOf({ publicUrl }: Pick<Services['config'], 'publicUrl'>): string {
  return `${publicUrl}${callbackPath}`;
}

function serverAt(authorization_endpoint: string, token_endpoint: string): ConnectServer['server'] {
  return { issuer: new URL(authorization_endpoint).origin, authorization_endpoint, token_endpoint };
}
