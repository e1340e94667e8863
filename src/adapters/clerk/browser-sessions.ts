import { createHash } from 'node:crypto';
import type { createClerkClient } from '@clerk/backend';
import { parse as parseCookie } from 'cookie';
import { decodeJwt } from 'jose';
import { cookiePrefix } from '../../lib/cookies.ts';
import { type HostedPages, IdpError, type VerifyResult } from '../../ports/identity-provider.ts';
import type { ClerkIdentityConfig } from '../../settings/config.ts';
import type { Call } from './call.ts';
import { listOf } from './translate.ts';

interface Parts extends Pick<ClerkIdentityConfig, 'issuer' | 'jwtKey' | 'publishableKey' | 'accountPortalUrl'> {
  /** That of the platform, on which the cookies are. */
  origin: string;
  clerk: ReturnType<typeof createClerkClient>;
  call: Call;
  verifyToken(token: string): Promise<VerifyResult>;
}

interface BrowserSessions {
  pages: HostedPages;
  /** Verifies the session of a Cookie header, and renews it if its token has expired. */
  verifyCookie(cookie: string): Promise<VerifyResult>;
}

/** The client puts ids into paths without escaping. */
const sessionIdPattern = /^sess_[0-9A-Za-z]+$/;

const missing = { ok: false, reason: 'MISSING' } as const;

/** Less than the lifetime of a token, so that what is kept has not expired. */
const renewedKeptMs = 45_000;

/**
 * Sessions of browsers, by cookies on the platform's origin. They come from Clerk by its handshake, through redirects
 * alone: no page of the platform loads anything from Clerk. Tokens are valid for a minute, and are renewed by the server.
 */
export function createBrowserSessions(parts: Parts): BrowserSessions {
  const { issuer, jwtKey, publishableKey, accountPortalUrl, origin, clerk, call, verifyToken } = parts;
  // Several instances may have cookies on one host, such as localhost.
  const suffix = createHash('sha1').update(publishableKey).digest('base64url').slice(0, 8);
  const [sessionNames, refreshName] = [['__session', `__session_${suffix}`], `__refresh_${suffix}`];
  const isOwn = (name: string): boolean => sessionNames.includes(name) || name === refreshName;
  const prefix = cookiePrefix(origin);
  /** The name that Clerk has for a cookie of a browser. */
  const clerkName = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const renewed = new Map<string, { at: number; result: Promise<VerifyResult> }>();

  const ownOptions = `Path=/; HttpOnly; SameSite=Lax${prefix && '; Secure'}`;

  /**
   * A cookie of Clerk as the browser keeps it: those of a session with the names and options of the platform's own, so
   * that no other host can set them. Clerk's client reads the others by their names.
   */
  function kept(setCookie: string): string {
    const [pair = '', ...options] = setCookie.split(/; */);
    if (!isOwn(nameOf(pair))) return withoutScripts(setCookie);
    const ends = options.filter((option) => /^(expires|max-age)=/i.test(option));
    return [`${prefix}${pair}`, ...ends, ownOptions].join('; ');
  }

  /** A Cookie header with Clerk's names of the cookies of a session. */
  function asClerkHasIt(header: string): string {
    const pairs = header.split(/; */).filter((pair) => pair.startsWith(prefix) || !isOwn(nameOf(pair)));
    return pairs.map((pair) => (isOwn(clerkName(nameOf(pair))) ? clerkName(pair) : pair)).join('; ');
  }

  return {
    pages: {
      accountUrl: `${accountPortalUrl}/user`,
      signInUrl: (returnUrl) => `${accountPortalUrl}/sign-in?${new URLSearchParams({ redirect_url: returnUrl })}`,
      async takeOver({ url, cookie: header = '' }) {
        // What the cookies say is known already: a token may outlive its session. Clerk is asked.
        const cookie = header
          .split(/; */)
          .filter((part) => !isOwn(clerkName(nameOf(part))))
          .join('; ');
        const request = new Request(url, { headers: { cookie, accept: 'text/html', 'sec-fetch-dest': 'document' } });
        // The issuer is the address of the handshake, also where it is not the host of the key.
        const options = { publishableKey, proxyUrl: issuer, ...(jwtKey !== null && { jwtKey }) };
        const state = await call('the session of a browser', () => clerk.authenticateRequest(request, options));
        const setCookies = state.headers.getSetCookie().map(kept);
        const location = state.headers.get('location');
        if (state.status === 'handshake' && location !== null) return { outcome: 'redirect', location, setCookies };
        const isSignedIn = state.token !== null && (await verifyToken(state.token)).ok;
        return { outcome: isSignedIn ? 'signed_in' : 'signed_out', setCookies };
      },
      removeCookies: (header = '') =>
        Object.keys(parseCookie(header))
          .filter((name) => isOwn(clerkName(name)))
          .map((name) => `${name}=; Max-Age=0; ${ownOptions}`),
    },
    async verifyCookie(cookie) {
      const token = tokenOf(cookie);
      if (token === undefined) return missing;
      const verified = await verifyToken(token);
      const refreshToken = parseCookie(cookie)[`${prefix}${refreshName}`];
      if (verified.ok || verified.reason !== 'EXPIRED' || !refreshToken) return verified;
      return renewOnce(token, refreshToken, cookie);
    },
  };

  /** Of several tokens, the one of this instance that expires last. */
  function tokenOf(cookie: string): string | undefined {
    const cookies = parseCookie(cookie);
    const tokens = sessionNames.flatMap((name) => cookies[`${prefix}${name}`] || []);
    const expiries = tokens.map((token) => expiryOf(token, issuer));
    return tokens[expiries.indexOf(Math.max(...expiries))];
  }

  /** A page sends several requests with one cookie. All of them get the token of one renewal. */
  function renewOnce(token: string, refreshToken: string, cookie: string): Promise<VerifyResult> {
    const now = performance.now();
    for (const [key, { at }] of renewed) if (now - at > renewedKeptMs) renewed.delete(key);
    const key = `${token} ${refreshToken}`;
    const known = renewed.get(key);
    if (known) return known.result;
    const result = renew(token, refreshToken, cookie);
    renewed.set(key, { at: now, result });
    result.catch(() => renewed.delete(key));
    return result;
  }

  /** The signature of the token was verified, so that only people of the instance cause a request. */
  async function renew(token: string, refreshToken: string, cookie: string): Promise<VerifyResult> {
    const expired = { ok: false, reason: 'EXPIRED' } as const;
    const { sid } = decodeJwt<{ sid: unknown }>(token);
    if (typeof sid !== 'string' || !sessionIdPattern.test(sid)) return expired;
    const answer = await call('a new token', () =>
      clerk.sessions.refreshSession(sid, {
        format: 'cookie',
        suffixed_cookies: true,
        expired_token: token,
        refresh_token: refreshToken,
        request_origin: origin,
        request_headers: { cookie: [asClerkHasIt(cookie)], origin: [origin] },
      }),
    ).catch((error: unknown) => {
      if (isRefusal(error)) return null;
      throw error;
    });
    if (answer === null) return expired;
    const setCookies = listOf(answer.cookies).map((line) => kept(String(line)));
    const next = tokenOf(setCookies.map((line) => line.split(';')[0]).join('; '));
    const verified = next === undefined ? missing : await verifyToken(next);
    return verified.ok ? { ...verified, setCookies } : verified;
  }
}

function nameOf(pair: string): string {
  return pair.slice(0, pair.indexOf('='));
}

/** The time at which a token of this issuer expires; 0 for a token of another one. The signature is not verified. */
function expiryOf(token: string, issuer: string): number {
  try {
    const { iss, exp } = decodeJwt(token);
    return iss === issuer && typeof exp === 'number' ? exp : 0;
  } catch {
    return 0;
  }
}

/** The pages of the platform need none of these cookies, so that no script may read them. */
function withoutScripts(setCookie: string): string {
  return /; *HttpOnly/i.test(setCookie) ? setCookie : `${setCookie}; HttpOnly`;
}

/** Whether Clerk refused, in contrast to an answer that says nothing about the session. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof IdpError) || error.code === 'RATE_LIMITED') return false;
  const { cause } = error;
  const status = typeof cause === 'object' && cause !== null && 'status' in cause ? Number(cause.status) : 0;
  return status >= 400 && status < 500;
}
