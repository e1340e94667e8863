import type { IdentityProvider, IdpOrganization, IdpPage } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { setOrgMember, unlinkOrganization, upsertOrganization } from '../mirror/public.ts';
import { repairEach } from './repair-each.ts';

type RepairServices = Pick<Services, 'prisma' | 'identityProvider' | 'clock' | 'log'>;

const pageSize = 200;
/** Younger changes are left to the messages. */
export const freshMs = 60_000;

export function isFresh(updatedAt: Date, now: Date): boolean {
  return now.getTime() - updatedAt.getTime() < freshMs;
}

/** Corrects name, slug and tag. An organization with a pending revert is skipped: its tag at the provider is wrong. */
export async function repairOrganizations(services: RepairServices): Promise<number> {
  const { prisma, identityProvider, clock } = services;
  const startedAt = clock.now();
  const listed = await listWhole((page) => listedOrganizations(identityProvider, page));
  const reverting = new Set(
    (await prisma.pendingRevert.findMany({ select: { organizationId: true } })).map(
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

/** The ids that two readings of the list lack: the pages may have shifted while they were read. */
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
export async function repairOrgMembers(services: RepairServices): Promise<number> {
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
