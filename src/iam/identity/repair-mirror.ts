import { sql } from '../../database/sql.ts';
import { lockWaitMs } from '../../database/tenant-queue.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { type Due, leaseOnce, ofNoTenant, runDueRows } from '../../jobs/run-due-rows.ts';
import type { IdentityProvider, IdpOrganization, IdpPage, IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { markUserDeleted, setOrgMember, unlinkOrganization, upsertOrganization, upsertUser } from './mirror.ts';

const repairsAtOnce = 4;
const never = new AbortController().signal;

/**
 * Repairs rows of the mirror, each in a separate transaction that waits for locks only briefly, and returns how many
 * were repaired. A row that is locked or fails does not stop the others: the next run repairs it.
 */
function repairEach<Item>(
  { prisma, log }: Pick<Services, 'prisma' | 'log'>,
  items: readonly Item[],
  idOf: (item: Item) => string,
  repair: (tx: Prisma.TransactionClient, item: Item) => Promise<void>,
): Promise<number> {
  return runDueRows<Due & { item: Item }>({
    lease: leaseOnce(items.map((item) => ({ id: idOf(item), ...ofNoTenant, item }))),
    run: ({ item }) =>
      prisma.$transaction(async (tx) => {
        await tx.$executeRaw(sql`SELECT set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`);
        await repair(tx, item);
      }),
    failed: (error, { id }) =>
      log.warn({ err: error, id }, 'A row of the identity mirror could not be repaired. The next run repairs it.'),
    stopping: never,
    most: repairsAtOnce,
  });
}

type OrganizationServices = Pick<Services, 'prisma' | 'identityProvider' | 'clock' | 'log'>;
/** More recent changes are left to the messages. */
const freshMs = 60_000;

function isFresh(updatedAt: Date, now: Date): boolean {
  return now.getTime() - updatedAt.getTime() < freshMs;
}

/**
 * Corrects name, slug and tag. An organization with a pending revert is skipped, since its tag at the provider is
 * wrong.
 */
async function repairOrganizations(services: OrganizationServices): Promise<number> {
  const { prisma, identityProvider, clock } = services;
  const startedAt = clock.now();
  const listed = await listWhole((page) => listedOrganizations(identityProvider, page));
  const reverting = new Set(
    (await prisma.pendingCompensation.findMany({ select: { organizationId: true } })).map(
      ({ organizationId }) => organizationId,
    ),
  );
  const rows = await prisma.organization.findMany({
    where: { organizationId: { not: null } },
    select: { organizationId: true, name: true, slug: true, createdAt: true, partner: { select: { slug: true } } },
  });
  const mirrored = new Map(rows.map((row) => [row.organizationId, row]));
  const slugs = new Set((await prisma.partner.findMany({ select: { slug: true } })).map(({ slug }) => slug));
  const differing = listed.filter((organization) => {
    const row = mirrored.get(organization.id);
    // A tag with an unknown slug counts as no tag.
    const tag =
      organization.partnerSlug !== null && slugs.has(organization.partnerSlug) ? organization.partnerSlug : null;
    const isSame =
      row !== undefined &&
      row.name === organization.name &&
      row.slug === organization.slug &&
      (row.partner?.slug ?? null) === tag;
    return !isSame && !isFresh(organization.updatedAt, startedAt) && !reverting.has(organization.id);
  });
  const repaired = await repairEach(services, differing, ({ id }) => id, upsertOrganization);
  const missing = await missingOf(
    rows.filter(({ createdAt }) => !isFresh(createdAt, startedAt)).map(({ organizationId }) => organizationId ?? ''),
    listed,
    identityProvider,
  );
  return repaired + (await repairEach(services, missing, String, (tx, id) => unlinkOrganization(tx, id, startedAt)));
}

/** The ids that are missing in two readings of the list: the pages may have shifted while they were read. */
async function missingOf(
  ids: readonly string[],
  listed: readonly IdpOrganization[],
  identityProvider: IdentityProvider,
): Promise<string[]> {
  const absentFrom = (list: readonly IdpOrganization[]) => {
    const known = new Set(list.map(({ id }) => id));
    return (id: string) => !known.has(id);
  };
  const missing = ids.filter(absentFrom(listed));
  return missing.length === 0
    ? []
    : missing.filter(absentFrom(await listWhole((page) => listedOrganizations(identityProvider, page))));
}

/** Corrects the members of organizations: an owner of a merchant must never become staff of a partner. */
async function repairOrgMembers(services: OrganizationServices): Promise<number> {
  const { prisma, identityProvider, clock } = services;
  const startedAt = clock.now();
  const listed = await listWhole(async (page) => {
    const { members, total } = await identityProvider.listOrgMembers(page);
    return { items: members, total };
  });
  const rows = await prisma.iamOrgMember.findMany();
  const mirrored = new Map(rows.map((row) => [keyOf(row), row]));
  const differing: Parameters<typeof setOrgMember>[1][] = listed.filter((member) => {
    const isSame = mirrored.get(keyOf(member))?.role === member.role;
    mirrored.delete(keyOf(member));
    return !isSame && !isFresh(member.updatedAt, startedAt);
  });
  const left = [...mirrored.values()].filter(({ createdAt }) => !isFresh(createdAt, startedAt));
  const changes = [...differing, ...left.map((row) => ({ ...row, role: null }))];
  return repairEach(services, changes, keyOf, (tx, member) => setOrgMember(tx, member, startedAt));
}

function keyOf({ organizationId, userId }: { organizationId: string; userId: string }): string {
  return `${organizationId}/${userId}`;
}

async function listedOrganizations(
  identityProvider: IdentityProvider,
  page: IdpPage,
): Promise<{ items: IdpOrganization[]; total: number }> {
  const { organizations, total } = await identityProvider.listOrganizations(page);
  return { items: organizations, total };
}

async function listWhole<Item>(
  readPage: (page: IdpPage) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items, total } = await readPage({ limit: pageSize, offset: all.length });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}

const pageSize = 200;

type RepairServices = Pick<Services, 'prisma' | 'identityProvider' | 'log' | 'clock' | 'metrics'>;

/**
 * Compares the provider with the mirror and corrects the differences, since a message may be lost. Changes of the last
 * minute are left to the messages, which may be in flight. Returns the number of corrected rows.
 */
export async function repairMirror(services: RepairServices): Promise<number> {
  const repairedCount = {
    user: await repairUsers(services),
    organization: await repairOrganizations(services),
    orgMember: await repairOrgMembers(services),
  };
  for (const [kind, rows] of Object.entries(repairedCount)) services.metrics.countMirrorRepairs(kind, rows);
  const total = repairedCount.user + repairedCount.organization + repairedCount.orgMember;
  if (total > 0)
    services.log.warn({ repairedCount }, 'The identity mirror differed from the identity provider and was repaired.');
  return total;
}

async function repairUsers(services: RepairServices): Promise<number> {
  const startedAt = services.clock.now();
  const seen = new Set<string>();
  let repairedCount = 0;
  for (let offset = 0; ; offset += pageSize) {
    const { users, total } = await services.identityProvider.listUsers({ limit: pageSize, offset });
    for (const user of users) seen.add(user.id);
    repairedCount += await repairUserPage(services, users);
    if (users.length === 0 || offset + users.length >= total) break;
  }
  return repairedCount + (await markMissingUsersDeleted(services, seen, startedAt));
}

async function repairUserPage(services: RepairServices, users: readonly IdpUser[]): Promise<number> {
  const { prisma, clock } = services;
  const rows = await prisma.iamUser.findMany({ where: { idpUserId: { in: users.map(({ id }) => id) } } });
  const known = new Map(rows.map((row) => [row.idpUserId, row]));
  const differing = users.filter((user) => {
    const row = known.get(user.id);
    const isCurrent = row !== undefined && row.idpUpdatedAt >= user.updatedAt && sameAccess(row, user);
    return !isCurrent && !row?.deletedAt && !isFresh(user.updatedAt, clock.now());
  });
  return repairEach(services, differing, ({ id }) => id, upsertUser);
}

/** A user missing from the list is fetched by id, since the pages may have shifted while they were read. */
async function markMissingUsersDeleted(
  services: RepairServices,
  seen: ReadonlySet<string>,
  startedAt: Date,
): Promise<number> {
  const rows = await services.prisma.iamUser.findMany({
    where: { deletedAt: null, idpUpdatedAt: { lt: new Date(startedAt.getTime() - freshMs) } },
    select: { idpUserId: true },
  });
  const missing: string[] = [];
  for (const { idpUserId } of rows)
    if (!seen.has(idpUserId) && (await services.identityProvider.getUser(idpUserId)) === null) missing.push(idpUserId);
  return repairEach(services, missing, String, (tx, id) => markUserDeleted(tx, id, startedAt));
}

function sameAccess(
  row: { platformRoles: string[]; whitelabelOwnership: string | null; banned: boolean; email: string },
  user: IdpUser,
): boolean {
  return (
    row.email === user.email &&
    row.banned === user.banned &&
    row.whitelabelOwnership === user.whitelabelOwnership &&
    row.platformRoles.join() === user.platformRoles.join()
  );
}
