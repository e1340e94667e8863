import type { Partner } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { assertAllowed, canReadPartners, notFound } from '../iam/public.ts';
import { assertOneName, type PartnerName } from './partner-name.ts';

/** One partner by id or slug. */
export async function readPartner({ services, caller }: SessionContext, name: PartnerName): Promise<Partner> {
  assertOneName(name);
  assertAllowed(canReadPartners(caller));
  const where = name.slug == null ? { id: name.id ?? '' } : { slug: name.slug };
  const partner = await services.prisma.partner.findUnique({ where });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}
