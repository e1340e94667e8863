import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { constant, execute, type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import { type Clock, type ClockCheck, clockFault } from '../../lib/clock.ts';
import { networkOf } from '../../lib/network.ts';
import type { IdpSession, ListedSession, VerifyResult } from '../../ports/identity-provider.ts';
import type { EngineOptions } from './engine.ts';
import {
  answerOf,
  type Client,
  checkCode,
  cookieNamed,
  hashing,
  headersOf,
  isUnused,
  type LazyEngine,
  textIn,
} from './engine-calls.ts';

/** Reads the token in the session cookie of a header. */
type ReadSignedToken = (header: string) => string | null;

/**
 * The token of a session cookie as the engine signs it. Null for any other header, such as one with two of these
 * cookies, which is left to the engine.
 */
function signedTokenReader(publicUrl: string, secret: string): ReadSignedToken {
  const begin = `${publicUrl.startsWith('https:') ? '__Secure-' : ''}platform.session_token=`;
  const key = createSecretKey(secret, 'utf8');
  return (header) => {
    const pair = cookieNamed(header, 'session_token');
    if (!pair.startsWith(begin) || pair.includes(';')) return null;
    const [token = '', signature = '', ...rest] = textIn(pair.slice(begin.length)).split('.');
    const wanted = Buffer.from(createHmac('sha256', key).update(token).digest('base64'));
    const given = Buffer.from(signature);
    return rest.length === 0 && given.length === wanted.length && timingSafeEqual(given, wanted) ? token : null;
  };
}

export interface SignedIn {
  userId: string;
  email: string;
  setCookies: string[];
}

/** The sessions of browsers. Cookies are passed as the values of their headers. */
export interface Sessions {
  /**
   * Null if the e-mail address and the password are not those of a user who may sign in. A user with a second factor
   * gets no session yet, but a cookie with which `signInWithCode` is called.
   */
  signIn(
    email: string,
    password: string,
    client: Client,
  ): Promise<SignedIn | { needsCode: true; setCookies: string[] } | null>;
  /** The user who has passed the first step but not the second; null if there is none, or after ten minutes. */
  findChallenged(cookie: string): Promise<string | null>;
  /** The second step: a code of the authenticator app, or a backup code. Null if it is not accepted. */
  signInWithCode(code: string, client: Client & { cookie: string }): Promise<SignedIn | null>;
  signOut(cookie: string): Promise<{ setCookies: string[] }>;
  /** A token for the session of a cookie; null without a session. */
  tokenOf(cookie: string): Promise<string | null>;
  verifyCookie(cookie: string): Promise<VerifyResult>;
  /** The public keys, in the published form. */
  jwks(): Promise<JSONWebKeySet>;
}

export function createSessions(
  engine: LazyEngine,
  pool: Queryable,
  {
    publicUrl,
    secret,
    clock,
    machine,
  }: Pick<EngineOptions, 'publicUrl' | 'secret'> & { clock: Clock; machine: ClockCheck },
): Sessions {
  const readToken = signedTokenReader(publicUrl, secret);

  /** The user of a sign-in that the engine has accepted; null, and no session, for a banned user. */
  async function admitted(email: string, token: string | undefined): Promise<{ id: string; email: string } | null> {
    const user = await queryRow<{ id: string; email: string; banned: boolean }>(
      pool,
      sql`
        SELECT id, email, banned
        FROM "user"
        WHERE lower(email) = lower(${email}::text)`,
    );
    if (user?.banned === false) return user;
    if (token !== undefined) await endSessionOfToken(token);
    return null;
  }

  async function endSessionOfToken(token: string): Promise<void> {
    await execute(pool, sql`DELETE FROM session WHERE token = ${token}`);
  }

  return {
    async signIn(email, password, client) {
      const answer = await answerOf(() =>
        hashing(networkOf(client.ip), async () =>
          (await engine()).api.signInEmail({ body: { email, password }, headers: headersOf(client), asResponse: true }),
        ),
      );
      if (!answer.ok) return null;
      // the engine's documented answers
      const { token } = answer.body as { token?: string };
      const user = await admitted(email, token);
      if (!user) return null;
      const { setCookies } = answer;
      return token === undefined ? { needsCode: true, setCookies } : { userId: user.id, email: user.email, setCookies };
    },

    async findChallenged(cookie) {
      const [identifier = ''] = textIn(cookieNamed(cookie, 'two_factor').split('=')[1] ?? '').split('.');
      const { internalAdapter } = await (await engine()).$context;
      const found = identifier === '' ? null : await internalAdapter.findVerificationValue(identifier);
      return found && found.expiresAt > machine.earliest() ? found.value : null;
    },

    async signInWithCode(code, client) {
      // Only the cookie of the first step: with a session the engine would not count wrong codes.
      const headers = headersOf({ ...client, cookie: cookieNamed(client.cookie, 'two_factor') });
      const answer = await checkCode(await engine(), code, headers);
      if (!answer.ok) return null;
      const { token, user } = answer.body as { token: string; user: { id: string; email: string } }; // as above
      if (!(await isUnused(await engine(), user.id, code))) {
        await endSessionOfToken(token);
        return null;
      }
      if (!(await admitted(user.email, token))) return null;
      await execute(pool, sql`UPDATE session SET "secondFactorAt" = ${clock.now()} WHERE token = ${token}`);
      return { userId: user.id, email: user.email, setCookies: answer.setCookies };
    },

    async signOut(cookie) {
      const answer = await (await engine()).api.signOut({ headers: new Headers({ cookie }), asResponse: true });
      return { setCookies: answer.headers.getSetCookie() };
    },

    async tokenOf(cookie) {
      const verified = await this.verifyCookie(cookie);
      if (!verified.ok) return null;
      const { token } = await (await engine()).api.getToken({ headers: new Headers({ cookie }) });
      return token;
    },

    async verifyCookie(cookie) {
      const token = readToken(cookie);
      const session = token === null ? undefined : await sessionOfToken(pool, token, machine);
      if (session) return { ok: true, session };
      // The engine would end a session by this clock.
      if (clockFault(machine.aheadMs()) !== null) return { ok: false, reason: 'MISSING' };
      // The engine decides in all other cases, and deletes a session that has expired.
      const found = await (await engine()).api.getSession({ headers: new Headers({ cookie }) });
      if (!found) return { ok: false, reason: 'MISSING' };
      const { id: sessionId, userId, expiresAt, secondFactorAt } = found.session;
      const hasSecondFactor = 'twoFactorEnabled' in found.user && found.user.twoFactorEnabled === true;
      return { ok: true, session: { userId, sessionId, expiresAt, hasSecondFactor, secondFactorAt } };
    },

    jwks: async () => (await engine()).api.getJwks(),
  };
}

/**
 * The result that the engine would get with four statements that are planned at every call. Sessions are not prolonged.
 */
function sessionOfToken(db: Queryable, token: string, machine: ClockCheck): Promise<IdpSession | undefined> {
  return queryRow<IdpSession>(
    db,
    sql`
      SELECT
        s."userId",
        s.id AS "sessionId",
        s."expiresAt",
        coalesce(u."twoFactorEnabled", false) AS "hasSecondFactor",
        s."secondFactorAt"
      FROM session s
      JOIN "user" u ON u.id = s."userId"
      WHERE s.token = ${token} AND s."expiresAt" > ${machine.earliest()}`,
  );
}

export function listSessions(db: Queryable, userId: string, machine: ClockCheck): Promise<ListedSession[]> {
  return queryRows<ListedSession>(
    db,
    sql`
      SELECT
        id,
        "createdAt",
        "expiresAt",
        nullif("ipAddress", '') AS "ipAddress",
        nullif("userAgent", '') AS "userAgent"
      FROM session
      WHERE "userId" = ${userId} AND "expiresAt" > ${machine.earliest()}
      ORDER BY "createdAt" DESC, id`,
  );
}

/** Deletes sessions and challenges that have expired, and are therefore rejected already. */
export async function purgeExpired(db: Queryable, machine: ClockCheck): Promise<number> {
  const tables = [sql`session`, sql`verification`];
  let count = 0;
  for (const table of tables)
    count += await execute(
      db,
      sql`
        DELETE FROM ${table}
        WHERE id IN (
          SELECT id
          FROM ${table}
          WHERE "expiresAt" < ${machine.earliest()}
          ORDER BY "expiresAt"
          LIMIT ${constant(purgedAtOnce)}
          FOR UPDATE SKIP LOCKED
        )`,
    );
  return count;
}

/** Each ended session sends a message. */
const purgedAtOnce = 500;

export async function revokeSession(db: Queryable, userId: string, sessionId: string): Promise<boolean> {
  return (await execute(db, sql`DELETE FROM session WHERE id = ${sessionId} AND "userId" = ${userId}`)) === 1;
}
