import type { SessionContext } from '../../graph/context.ts';
import { canBeResent } from './invitation-expiry.ts';
import { callersPartner, findPartnerFacts } from './partner-facts.ts';
import { allowed, canManagePartnerStaff, canTakeAccess, type Decision, denied, type StaffAction } from './policy.ts';

/**
 * Tells in advance whether an action on a roster is permitted. `ok` is false where the mutation would be 403, 404 or
 * 422, or 409 since the partner is offboarded. Any other conflict with the present state (409) is not a question of
 * permission.
 */
export async function probeManagePartnerStaff(
  context: SessionContext,
  input: { partnerSlug: string; action: StaffAction; targetUserId?: string | null | undefined },
): Promise<Decision> {
  const { prisma } = context.services;
  const { partnerSlug, action, targetUserId } = input;
  const decision = canManagePartnerStaff(context.caller, partnerSlug, await callersPartner(prisma, context), {
    action,
    targetUserId: targetUserId ?? null,
  });
  if (!decision.ok) return decision;
  const partner = await findPartnerFacts(prisma, partnerSlug);
  if (!partner) return denied('partner_not_found');
  const isFound =
    targetUserId == null || action === 'invite' || (await isOnRoster(context, partnerSlug, targetUserId, action));
  if (!isFound) return denied('target_not_found');
  return action === 'revoke' || action === 'delete' ? allowed : canTakeAccess(partner);
}

async function isOnRoster(
  { services }: SessionContext,
  partnerSlug: string,
  userId: string,
  action: StaffAction,
): Promise<boolean> {
  const user = await services.prisma.iamUser.findFirst({ where: { idpUserId: userId, deletedAt: null } });
  if (!user) return false;
  const isResend = action === 'resend-invitation';
  if (!isResend && user.whitelabelOwnership === partnerSlug) return true;
  const memberships = await services.prisma.partnerMembership.findMany({
    where: { partner: { slug: partnerSlug }, OR: [{ userId }, { emailLower: user.emailLower }] },
  });
  return memberships.some((membership) => !isResend || canBeResent(membership));
}
