import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { markUserDeleted, upsertUser } from '../mirror/public.ts';
import { repairEach } from './repair-each.ts';
import { freshMs, isFresh, repairOrganizations, repairOrgMembers } from './repair-organizations.ts';

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
