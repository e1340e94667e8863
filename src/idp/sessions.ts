import type { JSONWebKeySet } from 'jose';
import type pg from 'pg';
import type { VerifyResult } from '../ports/identity-provider.ts';
import type { Engine } from './engine.ts';
import { hashing } from './hashing.ts';

/** What a browser does with the provider. Cookies go in and come out as headers carry them. */
export interface Sessions {
  /** Null when e-mail and password are not those of anybody who may sign in. */
  signIn(
    email: string,
    password: string,
    userAgent: string,
  ): Promise<{ userId: string; email: string; setCookies: string[] } | null>;
  signOut(cookie: string): Promise<{ setCookies: string[] }>;
  /** A token for the session of a cookie; null when it has none. */
  tokenOf(cookie: string): Promise<string | null>;
  verifyCookie(cookie: string): Promise<VerifyResult>;
  /** The public keys, as they are published. */
  jwks(): Promise<JSONWebKeySet>;
}

export function createSessions(engine: Engine, pool: pg.Pool): Sessions {
  return {
    async signIn(email, password, userAgent) {
      const answer = await hashing(() =>
        engine.api.signInEmail({
          body: { email, password },
          headers: new Headers({ 'user-agent': userAgent }),
          asResponse: true,
        }),
      );
      if (!answer.ok) {
        if (answer.status >= 500)
          throw new Error(`The identity provider's engine answered ${answer.status} to a sign-in.`);
        return null;
      }
      const { user, token } = (await answer.json()) as { user: { id: string; email: string }; token: string }; // the engine's documented answer
      const { rows } = await pool.query<{ banned: boolean }>('SELECT banned FROM "user" WHERE id = $1', [user.id]);
      if (rows[0]?.banned !== false) {
        await pool.query('DELETE FROM session WHERE token = $1', [token]);
        return null;
      }
      return { userId: user.id, email: user.email, setCookies: answer.headers.getSetCookie() };
    },

    async signOut(cookie) {
      const answer = await engine.api.signOut({ headers: new Headers({ cookie }), asResponse: true });
      return { setCookies: answer.headers.getSetCookie() };
    },

    async tokenOf(cookie) {
      const verified = await this.verifyCookie(cookie);
      if (!verified.ok) return null;
      const { token } = await engine.api.getToken({ headers: new Headers({ cookie }) });
      return token;
    },

    async verifyCookie(cookie) {
      const found = await engine.api.getSession({ headers: new Headers({ cookie }) });
      if (!found) return { ok: false, reason: 'MISSING' };
      const { id: sessionId, userId, expiresAt } = found.session;
      return { ok: true, session: { userId, sessionId, expiresAt } };
    },

    jwks: async () => (await engine.api.getJwks()) as JSONWebKeySet, // the engine types the same keys more loosely
  };
}
