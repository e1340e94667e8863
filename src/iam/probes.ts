import type { SessionContext } from '../graph/context.ts';
import { callersPartner, findPartner } from './people.ts';
import {
  allowed,
  canAssignTgdRole,
  canManagePartnerStaff,
  type Decision,
  denied,
  type Person,
  type StaffAction,
} from './policy.ts';

/**
 * The permission probes: what a mutation would say, asked beforehand. They answer `ok: false` where the mutation would be 403, 404 or
 * 422; that the present state stands against it (409) is no question of permission.
 */
export async function probeAssignRole(
  context: SessionContext,
  input: { targetUserId: string; requestedRoles: readonly string[]; requestedScope?: string | null | undefined },
): Promise<Decision> {
  const { prisma } = context.env;
  const { targetUserId, requestedRoles, requestedScope } = input;
  return canAssignTgdRole(context.caller, await callersPartner(prisma, context), {
    targetUserId,
    target: await findPerson(context, targetUserId),
    requestedRoles,
    requestedScope,
    requestedPartner: typeof requestedScope === 'string' ? await findPartner(prisma, requestedScope) : null,
  });
}

export async function probeManagePartnerStaff(
  context: SessionContext,
  input: { partnerSlug: string; action: StaffAction; targetUserId?: string | null | undefined },
): Promise<Decision> {
  const { prisma } = context.env;
  const { partnerSlug, action, targetUserId } = input;
  const gate = canManagePartnerStaff(context.caller, partnerSlug, await callersPartner(prisma, context), {
    action,
    targetUserId: targetUserId ?? null,
  });
  if (!gate.ok) return gate;
  if (!(await findPartner(prisma, partnerSlug))) return denied('partner_not_found');
  if (targetUserId == null || action === 'invite') return allowed;
  return (await isOnRoster(context, partnerSlug, targetUserId, action)) ? allowed : denied('target_not_found');
}

async function findPerson({ env }: SessionContext, userId: string): Promise<Person | null> {
  const user = await env.prisma.iamUser.findFirst({ where: { idpUserId: userId, deletedAt: null } });
  return user && { userId, platformRoles: user.platformRoles, whitelabelOwnership: user.whitelabelOwnership };
}

async function isOnRoster(
  { env }: SessionContext,
  partnerSlug: string,
  userId: string,
  action: StaffAction,
): Promise<boolean> {
  const user = await env.prisma.iamUser.findFirst({ where: { idpUserId: userId, deletedAt: null } });
  if (!user) return false;
  const pendingOnly = action === 'resend-invitation';
  if (!pendingOnly && user.whitelabelOwnership === partnerSlug) return true;
  const here = {
    partner: { slug: partnerSlug },
    OR: [{ userId }, { emailLower: user.emailLower }],
    ...(pendingOnly && { status: 'pending' }),
  };
  return (await env.prisma.partnerMembership.count({ where: here })) > 0;
}
