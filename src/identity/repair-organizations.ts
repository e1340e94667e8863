import type { Env } from '../env.ts';
import type { IdentityProvider, IdpOrganization, IdpPage } from '../ports/identity-provider.ts';
import { setOrgMember, unlinkOrganization, upsertOrganization } from './mirror.ts';

type RepairEnv = Pick<Env, 'prisma' | 'identityProvider' | 'clock'>;

const pageSize = 200;
/** What is younger is left to the messages. */
export const freshMs = 60_000;

export function isFresh(updatedAt: Date, now: Date): boolean {
  return now.getTime() - updatedAt.getTime() < freshMs;
}

/** The organizations: name, slug and tag. One whose tag is to be put back at the provider says there what is not so. */
export async function repairOrganizations({ prisma, identityProvider, clock }: RepairEnv): Promise<number> {
  const startedAt = clock.now();
  const theirs = await listWhole((page) => listedOrganizations(identityProvider, page));
  const reverting = new Set(
    (await prisma.pendingRevert.findMany({ select: { organizationId: true } })).map(
      ({ organizationId }) => organizationId,
    ),
  );
  const rows = await prisma.organization.findMany({
    where: { organizationId: { not: null } },
    select: { organizationId: true, name: true, slug: true, createdAt: true, partner: { select: { slug: true } } },
  });
  const ours = new Map(rows.map((row) => [row.organizationId, row]));
  const slugs = new Set((await prisma.partner.findMany({ select: { slug: true } })).map(({ slug }) => slug));
  let mended = 0;
  for (const organization of theirs) {
    const row = ours.get(organization.id);
    // A tag that names no partner of ours is none here.
    const tag =
      organization.partnerSlug !== null && slugs.has(organization.partnerSlug) ? organization.partnerSlug : null;
    const isSame =
      row !== undefined &&
      row.name === organization.name &&
      row.slug === organization.slug &&
      (row.partner?.slug ?? null) === tag;
    if (isSame || isFresh(organization.updatedAt, startedAt) || reverting.has(organization.id)) continue;
    await prisma.$transaction((tx) => upsertOrganization(tx, organization));
    mended++;
  }
  const missing = await missingOf(
    rows.filter(({ createdAt }) => !isFresh(createdAt, startedAt)).map(({ organizationId }) => organizationId ?? ''),
    theirs,
    identityProvider,
  );
  for (const id of missing) await prisma.$transaction((tx) => unlinkOrganization(tx, id, startedAt));
  return mended + missing.length;
}

/** A page may have shifted while it was read, so what is missing is looked for once more. */
async function missingOf(
  ids: readonly string[],
  theirs: readonly IdpOrganization[],
  identityProvider: IdentityProvider,
): Promise<string[]> {
  const absentFrom = (list: readonly IdpOrganization[]) => {
    const known = new Set(list.map(({ id }) => id));
    return (id: string) => !known.has(id);
  };
  const missing = ids.filter(absentFrom(theirs));
  return missing.length === 0
    ? []
    : missing.filter(absentFrom(await listWhole((page) => listedOrganizations(identityProvider, page))));
}

/** Who runs which organization: whom it makes a merchant may never become a partner's staff. */
export async function repairOrgMembers({ prisma, identityProvider, clock }: RepairEnv): Promise<number> {
  const startedAt = clock.now();
  const theirs = await listWhole(async (page) => {
    const { members, total } = await identityProvider.listOrgMembers(page);
    return { items: members, total };
  });
  const rows = await prisma.iamOrgMember.findMany();
  const ours = new Map(rows.map((row) => [keyOf(row), row]));
  let mended = 0;
  for (const member of theirs) {
    const isSame = ours.get(keyOf(member))?.role === member.role;
    ours.delete(keyOf(member));
    if (isSame || isFresh(member.updatedAt, startedAt)) continue;
    await prisma.$transaction((tx) => setOrgMember(tx, member, startedAt));
    mended++;
  }
  for (const row of ours.values()) {
    if (isFresh(row.createdAt, startedAt)) continue;
    await prisma.$transaction((tx) => setOrgMember(tx, { ...row, role: null }, startedAt));
    mended++;
  }
  return mended;
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
