import type { Env } from '../env.ts';
import type { IdpUser } from '../ports/identity-provider.ts';
import { buryUser, upsertUser } from './mirror.ts';
import { freshMs, isFresh, repairOrganizations, repairOrgMembers } from './repair-organizations.ts';

const pageSize = 200;

type RepairEnv = Pick<Env, 'prisma' | 'identityProvider' | 'log' | 'clock' | 'metrics'>;

/**
 * Compares everybody and everything at the provider with the mirror and mends what differs: a message may have been lost for good. What
 * changed in the last minute is left to the messages, which may be on their way. Gives the number of rows it had to mend.
 */
export async function repairMirror(env: RepairEnv): Promise<number> {
  const mended = {
    user: await repairUsers(env),
    organization: await repairOrganizations(env),
    orgMember: await repairOrgMembers(env),
  };
  for (const [kind, rows] of Object.entries(mended)) env.metrics.mirrorMended(kind, rows);
  const total = mended.user + mended.organization + mended.orgMember;
  if (total > 0) env.log.warn({ mended }, 'The mirror of the identity provider had drifted and was mended.');
  return total;
}

async function repairUsers(env: RepairEnv): Promise<number> {
  const startedAt = env.clock.now();
  const seen = new Set<string>();
  let mended = 0;
  for (let offset = 0; ; offset += pageSize) {
    const { users, total } = await env.identityProvider.listUsers({ limit: pageSize, offset });
    for (const user of users) seen.add(user.id);
    mended += await mendPage(env, users);
    if (users.length === 0 || offset + users.length >= total) break;
  }
  return mended + (await buryMissing(env, seen, startedAt));
}

async function mendPage({ prisma, clock }: Pick<Env, 'prisma' | 'clock'>, users: readonly IdpUser[]): Promise<number> {
  const rows = await prisma.iamUser.findMany({ where: { idpUserId: { in: users.map(({ id }) => id) } } });
  const known = new Map(rows.map((row) => [row.idpUserId, row]));
  let mended = 0;
  for (const user of users) {
    const row = known.get(user.id);
    const isCurrent = row !== undefined && row.idpUpdatedAt >= user.updatedAt && sameAccess(row, user);
    if (isCurrent || row?.deletedAt || isFresh(user.updatedAt, clock.now())) continue;
    await upsertUser(prisma, user);
    mended++;
  }
  return mended;
}

/** Whoever the provider no longer lists is asked for by name, since a page may have shifted while it was read. */
async function buryMissing(
  { prisma, identityProvider }: Pick<Env, 'prisma' | 'identityProvider'>,
  seen: ReadonlySet<string>,
  startedAt: Date,
): Promise<number> {
  const rows = await prisma.iamUser.findMany({
    where: { deletedAt: null, idpUpdatedAt: { lt: new Date(startedAt.getTime() - freshMs) } },
    select: { idpUserId: true },
  });
  let buried = 0;
  for (const { idpUserId } of rows) {
    if (seen.has(idpUserId) || (await identityProvider.getUser(idpUserId)) !== null) continue;
    await buryUser(prisma, idpUserId, startedAt);
    buried++;
  }
  return buried;
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

/** Old messages come no more than a week late, and a token outlives its session by a minute. */
const messagesKeptMs = 8 * 86_400_000;
const endedSessionsKeptMs = 3_600_000;

export async function forgetOldIdentityRows({ prisma, clock }: Pick<Env, 'prisma' | 'clock'>): Promise<void> {
  const now = clock.now().getTime();
  await prisma.idpEventSeen.deleteMany({ where: { at: { lt: new Date(now - messagesKeptMs) } } });
  await prisma.endedSession.deleteMany({ where: { at: { lt: new Date(now - endedSessionsKeptMs) } } });
}
