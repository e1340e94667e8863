import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseCookie } from 'cookie';
import { ClerkRefusal } from './clerk-routes.ts';

interface Session {
  id: string;
  userId: string;
}

interface Parts {
  /** Of the pages and of the frontend API. */
  url: string;
  publishableKey: string;
  isDevelopment: boolean;
  openSession(email: string): Promise<Session>;
  /** The session, if it has not ended. */
  findSession(id: string): Promise<Session | null>;
  /** A token of one minute for the pages of an origin. */
  tokenOf(session: Session, party: string): Promise<string>;
}

export interface ClerkPages {
  /** Answers a request of a browser; false for any other request. */
  answer(request: IncomingMessage, response: ServerResponse, text: () => Promise<string>): Promise<boolean>;
  /** The `Set-Cookie` headers of a handshake, once. */
  takePayload(nonce: string): string[];
  /** Those of a new token, for the session and the refresh token that the last ones were of. */
  refresh(id: string, given: { refreshToken: string; origin: string }): Promise<string[]>;
}

/**
 * What a browser asks of a Clerk instance: the Account Portal and the handshake of the frontend API. In production they
 * share `__client_uat` with the platform, being on its domain: all is on one host here. In development a parameter of the
 * return, and then a cookie, identifies the browser instead.
 */
export function createClerkPages({
  url,
  publishableKey,
  isDevelopment,
  openSession,
  findSession,
  tokenOf,
}: Parts): ClerkPages {
  const suffix = createHash('sha1').update(publishableKey).digest('base64url').slice(0, 8);
  const payloads = new Map<string, string[]>();
  const refreshTokens = new Map<string, string>();
  const cookie = (name: string, value: string, rest = '') => `${name}=${value}; Path=/; SameSite=Lax${rest}`;
  const sessionCookies = (token: string): string[] => [
    cookie('__session', token),
    cookie(`__session_${suffix}`, token),
  ];

  async function handshake(query: URLSearchParams, clientSession: string | undefined): Promise<string> {
    const returnUrl = new URL(query.get('redirect_url') ?? '');
    const session = clientSession === undefined ? null : await findSession(clientSession);
    const uat = session ? String(Math.floor(Date.now() / 1000)) : '0';
    const directives = [cookie('__client_uat', uat), cookie(`__client_uat_${suffix}`, uat)];
    if (session) {
      const refreshToken = randomBytes(12).toString('hex');
      refreshTokens.set(refreshToken, session.id);
      directives.push(
        ...sessionCookies(await tokenOf(session, returnUrl.origin)),
        cookie(`__refresh_${suffix}`, refreshToken, '; HttpOnly'),
      );
    } else directives.push(...sessionCookies('').map((line) => `${line}; Max-Age=0`));
    if (isDevelopment) directives.push(cookie('__clerk_db_jwt', 'dvb_1'));
    const nonce = randomBytes(12).toString('hex');
    payloads.set(nonce, directives);
    returnUrl.searchParams.set('__clerk_handshake_nonce', nonce);
    return returnUrl.href;
  }

  return {
    async answer(request, response, text) {
      const { pathname, searchParams } = new URL(request.url ?? '', url);
      const redirect = (location: string, cookies: string[] = []): true => {
        response.writeHead(303, { Location: location, 'Set-Cookie': cookies }).end();
        return true;
      };
      const page = (content: string): true => {
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Clerk</title>${content}`);
        return true;
      };
      switch (`${request.method} ${pathname}`) {
        case 'GET /v1/client/handshake':
          return redirect(await handshake(searchParams, parseCookie(request.headers.cookie ?? '')['__client']));
        case 'GET /sign-in':
          return page('<form method="post"><label>Email <input name="email"></label><button>Sign in</button></form>');
        case 'POST /sign-in': {
          const { id } = await openSession(new URLSearchParams(await text()).get('email') ?? '');
          const uat = String(Math.floor(Date.now() / 1000));
          const returnUrl = new URL(searchParams.get('redirect_url') ?? '');
          const client = cookie('__client', id, '; HttpOnly');
          if (!isDevelopment) return redirect(returnUrl.href, [client, cookie('__client_uat', uat)]);
          returnUrl.searchParams.set('__clerk_db_jwt', 'dvb_1');
          return redirect(returnUrl.href, [client]);
        }
        case 'GET /user':
          return page('<h1>Account</h1>');
        default:
          return false;
      }
    },
    takePayload(nonce) {
      const directives = payloads.get(nonce);
      payloads.delete(nonce);
      if (!directives) throw new ClerkRefusal(404, 'resource_not_found', 'not found');
      return directives;
    },
    async refresh(id, { refreshToken, origin }) {
      const session = refreshTokens.get(refreshToken) === id ? await findSession(id) : null;
      if (!session) throw new ClerkRefusal(401, 'session_refresh_failed', 'The session has ended.');
      return [cookie(`__session_${suffix}`, await tokenOf(session, origin))];
    },
  };
}
