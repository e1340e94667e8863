import { createHmac, timingSafeEqual } from 'node:crypto';
import type pg from 'pg';

/**
 * The list of users, hand-written: the session of a cookie, the count of the person's calls and a page. Frozen as
 * statements.ts is.
 */
const sessionSql = `SELECT s."userId", u."platformRoles", u."whitelabelOwnership"
  FROM idp.session s
  JOIN iam_users u ON u."idpUserId" = s."userId"
  WHERE s.token = $1
    AND s."expiresAt" > now()
    AND NOT u.banned
    AND u."deletedAt" IS NULL
    AND NOT EXISTS (SELECT 1 FROM ended_sessions e WHERE e."sessionId" = s.id)`;

const callsSql = `INSERT INTO limits.windows AS w (subject, start, calls)
  VALUES ($1, $2, 1)
  ON CONFLICT (subject) DO UPDATE SET
    calls = CASE WHEN w.start = excluded.start THEN w.calls + 1 ELSE 1 END,
    start = excluded.start
  RETURNING calls`;

const usersSql = `SELECT page.*, n.total
  FROM (SELECT count(*) AS total FROM iam_users t WHERE t."deletedAt" IS NULL) n
  LEFT JOIN (
    SELECT t."idpUserId", t.email, t."platformRoles", t."whitelabelOwnership", t."createdAt"
    FROM iam_users t
    WHERE t."deletedAt" IS NULL
    ORDER BY t."createdAt" DESC, t."idpUserId" DESC
    LIMIT $1 OFFSET $2
  ) page ON true
  ORDER BY page."createdAt" DESC, page."idpUserId" DESC`;

interface Reader {
  userId: string;
  platformRoles: string[];
  whitelabelOwnership: string | null;
}

interface UserRow {
  idpUserId: string | null;
  /** PostgreSQL's bigint as a string. */
  total: string;
  [column: string]: unknown;
}

/** A page of all users, for a reader of every partner with this cookie. */
export async function readUsers(
  pool: pg.Pool,
  secret: string,
  cookie: string,
  { limit = 100, offset = 0 }: { limit?: number; offset?: number },
): Promise<object> {
  const sessions = await pool.query<Reader>({ name: 'session', text: sessionSql, values: [tokenOf(secret, cookie)] });
  const reader = sessions.rows[0];
  if (!reader || reader.whitelabelOwnership !== null || reader.platformRoles.length === 0)
    throw new Error('The session may not read all users.');
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const counted = await pool.query<{ calls: number }>({
    name: 'calls',
    text: callsSql,
    values: [`person/${reader.userId}`, minute],
  });
  if ((counted.rows[0]?.calls ?? 0) > 1_000) throw new Error('The person has called too often.');
  const { rows } = await pool.query<UserRow>({ name: 'users', text: usersSql, values: [limit, offset] });
  return {
    rows: rows.filter(({ idpUserId }) => idpUserId !== null).map(({ total: _total, ...row }) => row),
    total: Number(rows[0]?.total ?? 0),
    limit,
    offset,
  };
}

/** The token of a signed cookie. */
function tokenOf(secret: string, cookie: string): string {
  const [token = '', signature = ''] = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.');
  const wanted = createHmac('sha256', secret).update(token).digest();
  const given = Buffer.from(signature, 'base64');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Error('The cookie is not signed.');
  return token;
}
