import type { EmbeddedIdp } from '../adapters/embedded-idp/embedded-idp.ts';
import { withClient } from '../database/client.ts';
import { setWaits } from '../database/waits.ts';
import { travelingClock } from '../lib/clock.ts';
import { Unavailable } from '../lib/errors.ts';
import { newId, randomBase62 } from '../lib/ids.ts';
import type { Log } from '../observability/log.ts';
import { prepareDatabase } from '../operating/prepare-database.ts';
import { openServices, type Services } from '../services.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import type { Demo } from '../settings/demo-credentials.ts';
import { localUrls } from './postgres-programs.ts';

type DemoPartner = Demo['partner'];
type DemoUser = Demo['users'][number];

/** One user of every role (contract 22). `partner` is the index of the user's partner. */
const demoUsers: readonly { name: string; platformRoles: readonly string[]; partner?: 0 | 1 }[] = [
  { name: 'superadmin', platformRoles: ['superadmin'] },
  { name: 'hubadmin', platformRoles: ['hubadmin'] },
  { name: 'paymentadmin', platformRoles: ['platformpaymentAdmin'] },
  { name: 'accountmanager', platformRoles: ['accountmanager'] },
  { name: 'partner-accountmanager', platformRoles: ['accountmanager'], partner: 0 },
  { name: 'partneradmin', platformRoles: ['partneradmin'], partner: 0 },
  { name: 'partnerstaff', platformRoles: ['partnerstaff'], partner: 0 },
  { name: 'no-role', platformRoles: [] },
  { name: 'second-partneradmin', platformRoles: ['partneradmin'], partner: 1 },
  { name: 'merchant', platformRoles: [] },
];

/**
 * Creates the demo users with random passwords, and organizations of merchants at the identity provider: one without a
 * partner, which the merchant owns, and one for each partner. The result is stored in demo.json.
 */
export async function seedDemoUsers(
  services: Services,
  idp: EmbeddedIdp,
  partners: readonly [DemoPartner, DemoPartner],
): Promise<Pick<Demo, 'users' | 'organizations'>> {
  const users: DemoUser[] = [];
  for (const { name, platformRoles, partner } of demoUsers) {
    const of = partner === undefined ? null : partners[partner];
    users.push(
      await addUser(services, idp, { email: `${name}@demo.example.com`, platformRoles: [...platformRoles] }, of),
    );
  }
  const merchant = users.at(-1);
  const organizations = await addOrganizations(services, idp, merchant?.idpUserId ?? null, partners);
  return { users, organizations };
}

async function addUser(
  { prisma, clock }: Services,
  idp: EmbeddedIdp,
  { email, platformRoles }: Pick<DemoUser, 'email' | 'platformRoles'>,
  partner: DemoPartner | null,
): Promise<DemoUser> {
  const password = randomBase62(20);
  const whitelabelOwnership = partner?.slug ?? null;
  const { id: idpUserId } = await idp.createUser({ email, password, platformRoles, whitelabelOwnership });
  if (partner) {
    const now = clock.now();
    const row = {
      id: newId('mem_', now),
      partnerId: partner.id,
      userId: idpUserId,
      email,
      emailLower: email,
      roles: platformRoles,
      status: 'active',
      invitedAt: now,
      joinedAt: now,
    };
    await prisma.partnerMembership.create({ data: row });
  }
  return { email, password, idpUserId, platformRoles, whitelabelOwnership };
}

async function addOrganizations(
  { prisma }: Services,
  idp: EmbeddedIdp,
  ownerId: string | null,
  partners: readonly DemoPartner[],
): Promise<Demo['organizations']> {
  const tags = [null, ...partners.map(({ slug }) => slug)];
  const made = [];
  for (const partnerSlug of tags) {
    const slug = partnerSlug === null ? 'demo-shop' : `demo-shop-of-${partnerSlug}`;
    const { id } = await idp.createOrganization({
      name: partnerSlug === null ? 'Demo Shop' : `Demo Shop of ${partnerSlug}`,
      slug,
      partnerSlug,
      createdBy: partnerSlug === null ? ownerId : null,
    });
    if (partnerSlug === null && ownerId !== null) await idp.addMember(id, ownerId, 'owner');
    made.push({ id, partnerSlug });
  }
  // The rows of the identity mirror are created by the provider's messages.
  await idp.flush();
  const organizations: Demo['organizations'] = [];
  for (const { id: organizationId, partnerSlug } of made) {
    const kind = partnerSlug === null ? 'self_serve' : 'partner_managed';
    const { accountId, slug } = await prisma.organization.update({ where: { organizationId }, data: { kind } });
    organizations.push({ accountId, organizationId, slug, kind, partnerSlug });
  }
  return organizations;
}

const progressMs = 4_000;
/** Below the time limit of a statement. */
const longestWaitMs = 14_000;

/** Creates the tables of a new database and, outside production, the demo tenants. */
export async function fillDatabase(config: Config, ownerUrl: string, log: Log): Promise<void> {
  const urls = localUrls(ownerUrl);
  await prepareDatabase(config, urls, log);
  if (!config.isProduction) await addDemo(config, urls.url, ownerUrl, log);
}

async function addDemo(config: Config, url: string, ownerUrl: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  const clock = travelingClock();
  // A crash loses no data, because the database is used only after it was renamed.
  await setSynchronousCommit(ownerUrl, false);
  // Some charges of the demo are meant to fail, so their warnings are not logged.
  const quietLog = log.child({}, { level: 'error' });
  const { services, idp, close } = await openServices(config, url, { clock, log: quietLog });
  // No client waits for an answer. On a slow machine the calls wait long for each other.
  setWaits(services.pool, { lockMs: longestWaitMs, runningCallMs: longestWaitMs, providerPlaceMs: longestWaitMs });
  log.info('The demo tenants are being created.');
  let reportedAt = startedAt;
  const tell = (customers: number, of: number): void => {
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    log.info(`The demo tenants are being created: ${customers} of ${of} customers.`);
  };
  try {
    const { seedDemo } = await import('../../prisma/seed.ts'); // needed on the first start only
    await seedDemo(services, clock, idp, tell);
    // The roles of the demo's users are stored before the server listens.
    await idp?.flush();
    log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'The demo tenants have been created.');
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new ConfigError(
      `The demo tenants could not be created, because the database took too long: ${message}. Start again: the next ` +
        'start creates them again.',
      { cause: error },
    );
  } finally {
    await close();
  }
  await setSynchronousCommit(ownerUrl, true);
}

/** Applies to new connections only. */
function setSynchronousCommit(url: string, isOn: boolean): Promise<void> {
  return withClient(url, 'platform-start', async (client) => {
    const name = client.escapeIdentifier(new URL(url).pathname.slice(1));
    await client.query(`ALTER DATABASE ${name} ${isOn ? 'RESET synchronous_commit' : 'SET synchronous_commit = off'}`);
  });
}
