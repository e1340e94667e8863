import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { constant, execute, type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import { type Clock, type ClockCheck, clockFault } from '../../lib/clock.ts';
import type { IdpSession, ListedSession, VerifyResult } from '../../ports/identity-provider.ts';
import type { EngineOptions } from './engine.ts';
import {
  answerOf,
  type Client,
  checkCode,
  cookieSelector,
  engineCookie,
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
  const begin = `${engineCookie(publicUrl).name}.session_token=`;
  const select = cookieSelector(publicUrl);
  const key = createSecretKey(secret, 'utf8');
  return (header) => {
    const pair = select(header, 'session_token');
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
   * Null if the email address and the password are not those of a user who may sign in. A user with a second factor
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
  const select = cookieSelector(publicUrl);

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
        hashing(client.ip, async () =>
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
      const [identifier = ''] = textIn(select(cookie, 'two_factor').split('=')[1] ?? '').split('.');
      const { internalAdapter } = await (await engine()).$context;
      const found = identifier === '' ? null : await internalAdapter.findVerificationValue(identifier);
      return found && found.expiresAt > machine.earliest() ? found.value : null;
    },

    async signInWithCode(code, client) {
      // Only the cookie of the first step: with a session the engine would not count wrong codes.
      const headers = headersOf({ ...client, cookie: select(client.cookie, 'two_factor') });
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
      const verified = token === null ? undefined : await useSession(pool, token, machine);
      if (verified) return verified;
      // The engine would end a session by this clock.
      if (clockFault(machine.aheadMs()) !== null) return missing;
      // The engine decides in all other cases, and deletes a session that has expired.
      const found = await (await engine()).api.getSession({ headers: new Headers({ cookie }) });
      return (found && (await useSession(pool, found.session.token, machine))) ?? missing;
    },

    jwks: async () => (await engine()).api.getJwks(),
  };
}

const missing: VerifyResult = { ok: false, reason: 'MISSING' };

/**
 * Whether a session has ended that has not expired. One of a user with a role ends 12 hours after its start, and 30
 * minutes after its last call: an open browser must not give access to money for days.
 */
const hasEnded = (machine: ClockCheck): Sql => sql`(
  jsonb_array_length(coalesce(u."publicMetadata"->'platformRoles', '[]')) > 0
  AND (
    s."createdAt" <= ${machine.earliest()}::timestamptz - interval '12 hours'
    OR s."usedAt" <= ${machine.earliest()}::timestamptz - interval '30 minutes'
  )
)`;

/**
 * The session of a token, or the reason why it has ended; undefined if there is none. The engine would read it with four
 * statements that are planned at every call. Sessions are not prolonged; their last call is noted once a minute.
 */
async function useSession(db: Queryable, token: string, machine: ClockCheck): Promise<VerifyResult | undefined> {
  const row = await queryRow<IdpSession & { hasEnded: boolean; isUseNoted: boolean }>(
    db,
    sql`
      SELECT
        s."userId",
        s.id AS "sessionId",
        s."expiresAt",
        coalesce(u."twoFactorEnabled", false) AS "hasSecondFactor",
        s."secondFactorAt",
        ${hasEnded(machine)} AS "hasEnded",
        s."usedAt" >= ${machine.earliest()}::timestamptz - interval '1 minute' AS "isUseNoted"
      FROM session s
      JOIN "user" u ON u.id = s."userId"
      WHERE s.token = ${token} AND s."expiresAt" > ${machine.earliest()}`,
  );
  if (!row) return undefined;
  const { hasEnded: isOver, isUseNoted, ...session } = row;
  if (isOver) {
    await execute(db, sql`DELETE FROM session WHERE token = ${token}`);
    return { ok: false, reason: 'EXPIRED' };
  }
  if (!isUseNoted) await execute(db, sql`UPDATE session SET "usedAt" = ${machine.earliest()} WHERE token = ${token}`);
  return { ok: true, session };
}

export function listSessions(db: Queryable, userId: string, machine: ClockCheck): Promise<ListedSession[]> {
  return queryRows<ListedSession>(
    db,
    sql`
      SELECT
        s.id,
        s."createdAt",
        s."expiresAt",
        nullif(s."ipAddress", '') AS "ipAddress",
        nullif(s."userAgent", '') AS "userAgent"
      FROM session s
      JOIN "user" u ON u.id = s."userId"
      WHERE s."userId" = ${userId} AND s."expiresAt" > ${machine.earliest()} AND NOT ${hasEnded(machine)}
      ORDER BY s."createdAt" DESC, s.id`,
  );
}

/** Deletes sessions that have ended and challenges that have expired, and are therefore rejected already. */
export async function purgeExpired(db: Queryable, machine: ClockCheck): Promise<number> {
  const expired = sql`"expiresAt" < ${machine.earliest()}`;
  const sources = [
    [sql`session`, sql`session s WHERE s.${expired}`],
    [sql`session`, sql`session s JOIN "user" u ON u.id = s."userId" WHERE ${hasEnded(machine)}`],
    [sql`verification`, sql`verification s WHERE s.${expired}`],
  ] as const;
  let count = 0;
  for (const [table, found] of sources)
    count += await execute(
      db,
      sql`
        DELETE FROM ${table}
        WHERE id IN (
          SELECT s.id
          FROM ${found}
          ORDER BY s."expiresAt"
          LIMIT ${constant(purgedAtOnce)}
          FOR UPDATE OF s SKIP LOCKED
        )`,
    );
  return count;
}

/** Each ended session sends a message. */
const purgedAtOnce = 500;

export async function revokeSession(db: Queryable, userId: string, sessionId: string): Promise<boolean> {
  return (await execute(db, sql`DELETE FROM session WHERE id = ${sessionId} AND "userId" = ${userId}`)) === 1;
}
