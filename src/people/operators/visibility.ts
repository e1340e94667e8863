import type { OperatorVisibility } from '../../auth/tenancy.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Mode } from '../../lib/ids.ts';
import { callersPartner, forbidden, notFound, readableScope } from '../iam/public.ts';

/** The rows visible to the caller: of all partners or a named one for internal staff, of their own for a partner. */
export async function operatorVisibility(
  context: SessionContext,
  mode: Mode,
  partnerSlug: string | null | undefined,
): Promise<OperatorVisibility> {
  const partnerId = await readablePartnerId(context, partnerSlug);
  return { kind: 'operator', mode, partnerId, replica: context.replica };
}

/** The one partner whose rows are visible to the caller; null for all partners. */
export async function readablePartnerId(
  context: SessionContext,
  partnerSlug: string | null = null,
): Promise<string | null> {
  const { prisma } = context.services;
  const scope = readableScope(context.caller, await callersPartner(prisma, context));
  if (!scope.ok) throw forbidden(scope.reason, scope.takes);
  if (scope.partnerSlug !== null && partnerSlug !== null && partnerSlug !== scope.partnerSlug)
    throw forbidden('other_partner');
  const slug = scope.partnerSlug ?? partnerSlug;
  if (slug === null) return null;
  const partner = await prisma.partner.findUnique({ where: { slug }, select: { id: true } });
  if (!partner) throw notFound('partner_not_found');
  return partner.id;
}

/** The condition of one row of either mode that is visible to the caller. */
export async function visibleRow(context: SessionContext, id: string): Promise<{ id: string; partnerId?: string }> {
  const partnerId = await readablePartnerId(context);
  return { id, ...(partnerId !== null && { partnerId }) };
}
