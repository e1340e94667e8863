import type { JSONWebKeySet } from 'jose';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import type { VerifyResult } from '../../ports/identity-provider.ts';
import type { Engine } from './engine.ts';
import { hashing } from './hashing.ts';

/** The sessions of browsers. Cookies are passed as the values of their headers. */
export interface Sessions {
  /** Null if the e-mail address and the password are not those of a user who may sign in. */
  signIn(
    email: string,
    password: string,
    userAgent: string,
  ): Promise<{ userId: string; email: string; setCookies: string[] } | null>;
  signOut(cookie: string): Promise<{ setCookies: string[] }>;
  /** A token for the session of a cookie; null without a session. */
  tokenOf(cookie: string): Promise<string | null>;
  verifyCookie(cookie: string): Promise<VerifyResult>;
  /** The public keys, as they are published. */
  jwks(): Promise<JSONWebKeySet>;
}

export function createSessions(engine: Engine, pool: Queryable): Sessions {
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
      // the engine's documented answer
      const { user, token } = (await answer.json()) as { user: { id: string; email: string }; token: string };
      const row = await queryRow<{ banned: boolean }>(pool, sql`SELECT banned FROM "user" WHERE id = ${user.id}`);
      if (row?.banned !== false) {
        await execute(pool, sql`DELETE FROM session WHERE token = ${token}`);
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

    jwks: () => engine.api.getJwks(),
  };
}
