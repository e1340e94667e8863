import type { SessionCaller } from '../../auth/caller.ts';
import { isHub, type RoleHolder } from '../../auth/roles.ts';
import { secondFactorError } from '../../auth/second-factor.ts';
import { queryRow, sql } from '../../database/sql.ts';
import { Forbidden, NotAuthorized } from '../../lib/errors.ts';
import type { SessionFailure } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { readUser } from './mirror.ts';

export interface SessionAdmission {
  caller: SessionCaller;
  /** The renewed cookie, if there is one. */
  headers: Record<string, string | string[]>;
  /** Whether the credential is a cookie, which a browser also sends with requests that another site has caused. */
  viaCookie: boolean;
}

interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** A token has three parts, of which the signature may be empty in a forged one. An API key does not match. */
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

type SessionServices = Pick<Services, 'pool' | 'prisma' | 'identityProvider' | 'config'>;

/** Authenticates a session. An Authorization header takes precedence: an API key beside a valid cookie is refused. */
export async function authenticateSession(
  services: SessionServices,
  { authorization, cookie }: Credentials,
): Promise<SessionAdmission> {
  const viaCookie = authorization === undefined;
  const bearer = viaCookie ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  if (!viaCookie && (bearer === undefined || !tokenPattern.test(bearer))) throw sessionError('NOT_A_SESSION');
  const verified = await services.identityProvider.verifySession(
    bearer === undefined ? { ...(cookie !== undefined && { cookie }) } : { bearer },
  );
  if (!verified.ok) throw sessionError(verified.reason);
  const { userId, sessionId, impersonatorId = null, hasSecondFactor, secondFactorAt } = verified.session;
  const user = await readSessionUser(services, userId, sessionId);
  if (hasSecondFactor === false && needsSecondFactor(services, user))
    throw secondFactorError(services.config, 'second_factor_required');
  const factor = { ...(hasSecondFactor !== undefined && { hasSecondFactor }), secondFactorAt };
  const session = { userId, sessionId, impersonatorId, ...factor };
  const { setCookies } = verified;
  const headers: SessionAdmission['headers'] = setCookies ? { 'Set-Cookie': setCookies } : {};
  return { caller: { kind: 'session', ...session, ...user }, headers, viaCookie };
}

/** Whether a user may do nothing without a second factor. A hosted provider enforces it by its own rules. */
export function needsSecondFactor({ config: { identity } }: Pick<Services, 'config'>, user: RoleHolder): boolean {
  return identity.kind === 'embedded' && identity.requiresSecondFactor && isHub(user);
}

interface SessionUserRow {
  ended: boolean;
  email: string | null;
  platformRoles: string[];
  whitelabelOwnership: string | null;
  partnerId: string | null;
  /** Null for a user the mirror lacks. */
  isDisabled: boolean | null;
}

/** Roles and scope from the mirror: a token is valid for a minute, and the removal of a role must apply immediately. */
async function readSessionUser(
  services: SessionServices,
  userId: string,
  sessionId: string,
): Promise<Pick<SessionCaller, 'email' | 'platformRoles' | 'whitelabelOwnership' | 'partnerId'>> {
  const row = await queryRow<SessionUserRow>(
    services.pool,
    sql`
      SELECT
        e.ended,
        u.email,
        u."platformRoles",
        u."whitelabelOwnership",
        p.id AS "partnerId",
        u.banned OR u."deletedAt" IS NOT NULL AS "isDisabled"
      FROM (SELECT EXISTS (SELECT 1 FROM ended_sessions WHERE "sessionId" = ${sessionId}) AS ended) e
      LEFT JOIN iam_users u ON u."idpUserId" = ${userId}
      LEFT JOIN partners p ON p.slug = u."whitelabelOwnership"`,
  );
  if (row === undefined || row.ended || row.isDisabled === true) throw sessionError('EXPIRED');
  if (row.email !== null) {
    const { email, platformRoles, whitelabelOwnership, partnerId } = row;
    return { email, platformRoles, whitelabelOwnership, partnerId };
  }
  const fetched = await readUser(services, userId);
  if (!fetched || fetched.banned) throw sessionError('EXPIRED');
  const { email, platformRoles, whitelabelOwnership } = fetched;
  const partner =
    whitelabelOwnership === null
      ? null
      : await services.prisma.partner.findUnique({ where: { slug: whitelabelOwnership }, select: { id: true } });
  return { email, platformRoles, whitelabelOwnership, partnerId: partner?.id ?? null };
}

/** The cause is logged. The caller learns only that a session is required or has ended. */
function sessionError(reason: SessionFailure): NotAuthorized {
  const message =
    reason === 'EXPIRED'
      ? 'The session has ended: sign in again.'
      : 'A session of the identity provider is required here: sign in, or send its token as "Authorization: ' +
        'Bearer <TOKEN>". API keys are not accepted.';
  return new NotAuthorized(message, { session: reason });
}

/** Another site can make a browser send the cookie, but not without the Origin header of that site. */
export function assertOwnOrigin(config: Services['config'], origin: string | undefined): void {
  if (origin === undefined || config.allowedOrigins.includes(origin)) return;
  throw new Forbidden(
    'origin_not_allowed',
    'origin_not_allowed: session cookies are accepted only from the pages of this platform.',
    { origin },
  );
}
