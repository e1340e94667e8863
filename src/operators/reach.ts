import type { OperatorReach } from '../auth/tenancy.ts';
import type { SessionContext } from '../graph/context.ts';
import { callersPartner, forbidden, notFound, readableScope } from '../iam/operations.ts';
import type { Mode } from '../kit/mode.ts';

/** What a person may look through: internal staff every partner, or the one they name; a partner's people their own. */
export async function operatorReach(
  context: SessionContext,
  mode: Mode,
  partnerSlug: string | null | undefined,
): Promise<OperatorReach> {
  return { kind: 'operator', mode, partnerId: await readablePartnerId(context, partnerSlug) };
}

/** The one partner a person looks through; null for all of them. */
export async function readablePartnerId(
  context: SessionContext,
  partnerSlug: string | null = null,
): Promise<string | null> {
  const { prisma } = context.env;
  const scope = readableScope(context.caller, await callersPartner(prisma, context));
  if (!scope.ok) throw forbidden(scope.reason);
  if (scope.partnerSlug !== null && partnerSlug !== null && partnerSlug !== scope.partnerSlug)
    throw forbidden('other_partner');
  const slug = scope.partnerSlug ?? partnerSlug;
  if (slug === null) return null;
  const partner = await prisma.partner.findUnique({ where: { slug }, select: { id: true } });
  if (!partner) throw notFound('partner_not_found');
  return partner.id;
}
