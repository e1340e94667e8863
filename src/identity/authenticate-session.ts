import type { SessionCaller } from '../auth/caller.ts';
import type { Env } from '../env.ts';
import { Forbidden, NotAuthorized } from '../kit/errors.ts';
import type { SessionFailure } from '../ports/identity-provider.ts';
import { readUser } from './mirror.ts';

export interface SessionAdmission {
  caller: SessionCaller;
  headers: Record<string, string>;
  /** A browser sends a cookie by itself, also when another site tells it to. */
  viaCookie: boolean;
}

interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** A token has three parts, the last of which may be missing when somebody tries; an API key is none. */
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

type SessionEnv = Pick<Env, 'pool' | 'prisma' | 'identityProvider'>;

/** Who is signed in. The Authorization header decides where there is one: an API key beside a good cookie is no session. */
export async function authenticateSession(
  env: SessionEnv,
  { authorization, cookie }: Credentials,
): Promise<SessionAdmission> {
  const viaCookie = authorization === undefined;
  const bearer = viaCookie ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  if (!viaCookie && (bearer === undefined || !tokenPattern.test(bearer))) throw refused('NOT_A_SESSION');
  const verified = await env.identityProvider.verifySession(
    bearer === undefined ? { ...(cookie !== undefined && { cookie }) } : { bearer },
  );
  if (!verified.ok) throw refused(verified.reason);
  const { userId, sessionId, impersonatorId = null } = verified.session;
  const person = await readPerson(env, userId, sessionId);
  return { caller: { kind: 'session', userId, sessionId, impersonatorId, ...person }, headers: {}, viaCookie };
}

interface PersonRow {
  ended: boolean;
  email: string | null;
  platformRoles: string[];
  whitelabelOwnership: string | null;
  gone: boolean;
}

const statement = `SELECT e.ended, u.email, u."platformRoles", u."whitelabelOwnership", u.banned OR u."deletedAt" IS NOT NULL AS gone
FROM (SELECT EXISTS (SELECT 1 FROM ended_sessions WHERE "sessionId" = $2) AS ended) e LEFT JOIN iam_users u ON u."idpUserId" = $1`;

/** Roles and scope as the mirror has them now: a token is up to a minute old, and a role taken away stops working at once. */
async function readPerson(
  env: SessionEnv,
  userId: string,
  sessionId: string,
): Promise<Pick<SessionCaller, 'email' | 'platformRoles' | 'whitelabelOwnership'>> {
  const { rows } = await env.pool.query<PersonRow>({
    name: 'authenticate-session',
    text: statement,
    values: [userId, sessionId],
  });
  const row = rows[0];
  if (row === undefined || row.ended || row.gone === true) throw refused('EXPIRED');
  if (row.email !== null)
    return { email: row.email, platformRoles: row.platformRoles, whitelabelOwnership: row.whitelabelOwnership };
  const fetched = await readUser(env, userId);
  if (!fetched || fetched.banned) throw refused('EXPIRED');
  return {
    email: fetched.email,
    platformRoles: fetched.platformRoles,
    whitelabelOwnership: fetched.whitelabelOwnership,
  };
}

/** What is wrong with a token is for our log: its bearer learns only that it does not do. */
function refused(reason: SessionFailure): NotAuthorized {
  const message =
    reason === 'EXPIRED'
      ? 'The session has ended: sign in again.'
      : 'A session of the identity provider is required here: sign in, or send its token as "Authorization: Bearer <TOKEN>". API keys are not taken.';
  return new NotAuthorized(message, { session: reason });
}

/** Another site may make a browser send the cookie, but cannot hide that it did. */
export function assertOwnOrigin(config: Env['config'], origin: string | undefined): void {
  if (origin === undefined || config.allowedOrigins.includes(origin)) return;
  throw new Forbidden(
    'origin_not_allowed',
    'origin_not_allowed: a session by cookie is taken from the pages of this platform only.',
    { origin },
  );
}
