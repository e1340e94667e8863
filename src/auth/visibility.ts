import type { Replica } from '../database/replica.ts';
import { invalid } from '../lib/errors.ts';
import type { Mode } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import { type ApiKeyCaller, isApiKey, type SessionCaller } from './caller.ts';
import { type Denial, forbidden, lacksRole, notFound, type PartnerFacts } from './decisions.ts';
import { isPlatformReader, isReader, type RoleHolder } from './roles.ts';
import type { ObjectVisibility, PeopleVisibility } from './tenancy.ts';

/** Who reads objects of tenants: a key, or a signed-in user. */
interface Viewer<Reader = ApiKeyCaller | SessionCaller> {
  services: Pick<Services, 'prisma'>;
  caller: Reader;
  /** The replica for lists that may be slightly out of date; null for the primary. */
  replica: Replica | null;
}

/** The arguments of a list by which people say whose rows they read. */
export interface Requested {
  mode?: Mode | null | undefined;
  partnerSlug?: string | null | undefined;
}

/** The rows of a list that are visible: to a key those of its tenant, to people those of one mode and their partners. */
export async function visibilityOf(
  { caller, ...viewer }: Viewer,
  requested: Requested,
): Promise<ApiKeyCaller | PeopleVisibility> {
  if (!isApiKey(caller)) return peopleVisibility({ ...viewer, caller }, requested);
  const { mode, partnerSlug } = requested;
  if (mode != null && mode !== caller.mode) throw invalid('mode', `must be ${caller.mode}, the mode of the API key`);
  if (partnerSlug != null) throw invalid('partnerSlug', 'is for people: an API key reads the rows of its own partner');
  return caller;
}

export async function peopleVisibility(
  { services, caller, replica }: Viewer<SessionCaller>,
  { mode, partnerSlug }: Requested,
): Promise<PeopleVisibility> {
  if (mode == null) throw invalid('mode', 'is required for people: test or live');
  return { kind: 'people', mode, partnerId: await visiblePartnerId({ services, caller }, partnerSlug), replica };
}

/** The objects that are visible one by one: to people those of both modes. */
export async function objectVisibilityOf({ services, caller }: Omit<Viewer, 'replica'>): Promise<ObjectVisibility> {
  return isApiKey(caller) ? caller : { kind: 'people', partnerId: await visiblePartnerId({ services, caller }) };
}

/** The one partner whose rows are visible to a user; null for all partners. */
export async function visiblePartnerId(
  { services: { prisma }, caller }: Omit<Viewer<SessionCaller>, 'replica'>,
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
