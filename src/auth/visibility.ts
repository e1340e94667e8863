import type { Replica } from '../database/replica.ts';
import { invalid } from '../lib/errors.ts';
import type { Mode } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from './caller.ts';
import { type Denial, forbidden, lacksRole, notFound, type PartnerFacts } from './decisions.ts';
import { isPlatformReader, isReader, type RoleHolder } from './roles.ts';
import type { ObjectVisibility, PeopleVisibility, Tenant } from './tenancy.ts';

/** A signed-in user who reads objects of tenants. */
interface Person {
  services: Pick<Services, 'prisma'>;
  caller: SessionCaller;
}

/** Who reads single objects: a caller for a tenant, or a signed-in user. */
export type Viewer = { tenant: Tenant } | (Person & { tenant: null });

/** Who reads lists. Those of people that may be slightly out of date come from the replica; null for the primary. */
type ListReader = { tenant: Tenant } | (ListPerson & { tenant: null });
type ListPerson = Person & { replica: Replica | null };

/** The arguments of a list by which people say whose rows they read. */
export interface Requested {
  mode?: Mode | null | undefined;
  partnerSlug?: string | null | undefined;
}

/** The rows of a list that are visible: for a tenant those of its own, to people those of one mode and their partners. */
export async function visibilityOf(reader: ListReader, requested: Requested): Promise<Tenant | PeopleVisibility> {
  if (reader.tenant === null) return peopleVisibility(reader, requested);
  const { mode, partnerSlug } = requested;
  const own = reader.tenant.mode;
  if (mode != null && mode !== own) throw invalid('mode', `must be ${own}, the mode of the API key`);
  if (partnerSlug != null) throw invalid('partnerSlug', 'is for people: an API key reads the rows of its own partner');
  return reader.tenant;
}

export async function peopleVisibility(
  { replica, ...person }: ListPerson,
  { mode, partnerSlug }: Requested,
): Promise<PeopleVisibility> {
  if (mode == null) throw invalid('mode', 'is required for people: test or live');
  return { kind: 'people', mode, partnerId: await visiblePartnerId(person, partnerSlug), replica };
}

/** The objects that are visible one by one: to people those of both modes. */
export async function objectVisibilityOf(viewer: Viewer): Promise<ObjectVisibility> {
  return viewer.tenant ?? { kind: 'people', partnerId: await visiblePartnerId(viewer) };
}

/** The one partner whose rows are visible to a user; null for all partners. */
export async function visiblePartnerId(
  { services: { prisma }, caller }: Person,
  partnerSlug?: string | null,
): Promise<string | null> {
  const slug = caller.whitelabelOwnership ?? partnerSlug ?? null;
  const select = { id: true, slug: true, status: true } as const;
  const partner = slug === null ? null : await prisma.partner.findUnique({ where: { slug }, select });
  const scope = readableScope(caller, caller.whitelabelOwnership === null ? null : partner);
  if (!scope.ok) throw forbidden(scope.reason, scope.takes);
  if (scope.partnerSlug !== null && partnerSlug != null && partnerSlug !== scope.partnerSlug)
    throw forbidden('other_partner');
  if (slug === null) return null;
  if (partner === null) throw notFound('partner_not_found');
  return partner.id;
}

/** The partner whose users and objects a user may read; null for all partners. */
export function readableScope(
  caller: RoleHolder,
  callersPartner: PartnerFacts,
): { ok: true; partnerSlug: string | null } | Denial {
  if (isPlatformReader(caller)) return { ok: true, partnerSlug: null };
  if (!isReader(caller)) return lacksRole({ directory: true });
  if (callersPartner?.status === 'offboarded') return { ok: false, reason: 'partner_offboarded' };
  return { ok: true, partnerSlug: caller.whitelabelOwnership };
}
