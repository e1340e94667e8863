import { createHmac, randomBytes } from 'node:crypto';
import { hashPassword } from '../../src/adapters/embedded-idp/engine-calls.ts';
import { metadataOf } from '../../src/adapters/embedded-idp/rows.ts';
import { insertUser } from '../../src/adapters/embedded-idp/users.ts';
import { execute, sql } from '../../src/database/sql.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { cookiePrefix } from '../../src/lib/cookies.ts';
import { newId } from '../../src/lib/ids.ts';
import type { IdpAccess, IdpUser } from '../../src/ports/identity-provider.ts';
import { type Answer, type Client, clientOf } from '../support/client.ts';
import { embeddedSecret, type TestPlatform } from '../support/platform.ts';

export const password = 'correct horse battery';

/** A signed-in user. */
export interface SignedIn {
  id: string;
  email: string;
  cookie: string;
  /** Calls a path below /api/v1/iam. */
  iam(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  graphql: Client['graphql'];
}

let count = 0;
/** Of the password of everybody here, made once: it is what takes the longest when a user is created. */
let passwordHash: Promise<string> | undefined;

/** A user at the provider. The mirror knows the user after the provider has sent its messages. */
export async function insertPerson(
  { services: { pool, clock } }: Pick<TestPlatform, 'services'>,
  { email, ...access }: IdpAccess & { email: string },
): Promise<IdpUser> {
  passwordHash ??= hashPassword(password);
  const account = { email, passwordHash: await passwordHash, publicMetadata: metadataOf(access) };
  return inTransaction(pool, async (client) => {
    await client.query('SET LOCAL search_path = idp');
    return insertUser(client, account, clock.now());
  });
}

/**
 * Creates a user with roles and scope who is known to the mirror; with a partner's scope, also a member of that
 * partner.
 */
export async function makePerson(
  platform: TestPlatform,
  access: { platformRoles?: string[]; whitelabelOwnership?: string | null; email?: string } = {},
): Promise<IdpUser> {
  const { platformRoles = [], whitelabelOwnership = null, email = `person${++count}@example.com` } = access;
  const { prisma, clock } = platform.services;
  const user = await insertPerson(platform, { email, platformRoles, whitelabelOwnership });
  const partner =
    whitelabelOwnership === null ? null : await prisma.partner.findUnique({ where: { slug: whitelabelOwnership } });
  if (partner) {
    const now = clock.now();
    await prisma.partnerMembership.create({
      data: {
        id: newId('mem_', now),
        partnerId: partner.id,
        userId: user.id,
        email: user.email,
        emailLower: user.email.toLowerCase(),
        roles: platformRoles,
        status: 'active',
        invitedAt: now,
        joinedAt: now,
      },
    });
  }
  await platform.idp.flush();
  return user;
}

/** A session of a person, on the pages of the other provider or stored as the embedded one stores it. */
export async function signIn(platform: TestPlatform, person: Pick<IdpUser, 'id' | 'email'>): Promise<SignedIn> {
  const { clerk } = platform;
  const cookie = clerk ? (await clerk.openSession(person.email)).cookie : await storeSession(platform, person);
  return withCookie(platform, person, cookie);
}

/** Calls the platform with the cookie of a person. */
function withCookie(platform: TestPlatform, { id, email }: Pick<IdpUser, 'id' | 'email'>, cookie: string): SignedIn {
  return {
    id,
    email,
    cookie,
    iam: (path, body = {}, headers = {}) => callIam(platform, path, body, { Cookie: cookie, ...headers }),
    graphql: (query, variables, headers) =>
      clientOf(platform).graphql(query, variables, { Cookie: cookie, ...headers }),
  };
}

/** A new person with a session. */
export async function signedIn(
  platform: TestPlatform,
  access: Parameters<typeof makePerson>[1] = {},
): Promise<SignedIn> {
  return signIn(platform, await makePerson(platform, access));
}

/** Stores a session of the embedded provider and returns its cookie: without the work of hashing a password. */
export async function storeSession(
  { services }: Pick<TestPlatform, 'services'>,
  { id }: Pick<IdpUser, 'id'>,
): Promise<string> {
  const { config, pool } = services;
  const token = randomBytes(24).toString('base64url');
  await execute(
    pool,
    sql`
      INSERT INTO idp.session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
      VALUES (${`sess_${token}`}, ${token}, ${id}, now() + interval '7 days', now(), now())`,
  );
  const signature = createHmac('sha256', embeddedSecret(config.identity)).update(token).digest('base64');
  return `${cookiePrefix(config.publicUrl)}platform.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}

const access = {
  superadmin: { role: 'superadmin', isOfPartner: false },
  hubadmin: { role: 'hubadmin', isOfPartner: false },
  platformpaymentAdmin: { role: 'platformpaymentAdmin', isOfPartner: false },
  accountmanager: { role: 'accountmanager', isOfPartner: false },
  partneradmin: { role: 'partneradmin', isOfPartner: true },
  partnerManager: { role: 'accountmanager', isOfPartner: true },
  partnerstaff: { role: 'partnerstaff', isOfPartner: true },
  merchant: { role: null, isOfPartner: false },
} as const;
type RoleName = keyof typeof access;

/** Everybody whom `signInEachRole` signs in. */
export const roleNames = Object.keys(access) as RoleName[]; // the keys of the object above

/** One signed-in person of each role of internal staff and of a partner, and one without a role. */
export async function signInEachRole(
  platform: TestPlatform,
  { slug }: { slug: string },
): Promise<Record<RoleName, SignedIn>> {
  const who: Partial<Record<RoleName, SignedIn>> = {};
  for (const name of roleNames) {
    const { role, isOfPartner } = access[name];
    who[name] = await signedIn(platform, {
      platformRoles: role === null ? [] : [role],
      whitelabelOwnership: isOfPartner ? slug : null,
    });
  }
  return who as Record<RoleName, SignedIn>; // the loop has filled it
}

export async function callIam(
  platform: Pick<TestPlatform, 'url'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${platform.url}/api/v1/iam${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** Creates a partner in the database: creating one over the API is covered by other tests. */
export async function makePartner(
  { services }: TestPlatform,
  slug: string,
  status = 'active',
): Promise<{ id: string; slug: string }> {
  const now = services.clock.now();
  return services.prisma.partner.create({
    data: { id: newId('par_', now), slug, name: `The ${slug} company`, status, createdAt: now, updatedAt: now },
  });
}
