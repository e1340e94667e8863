import { allowed, type Decision, denied } from '../auth/decisions.ts';
import { secondFactorProblem } from '../auth/second-factor.ts';
import type { SessionContext } from '../call/context.ts';
import { builder } from '../graph/builder.ts';
import type { FieldLimit } from '../graph/field-limits.ts';
import { AssignRoleProbe, PartnerStaffProbe } from './inputs.ts';
import { callersPartner, findPartnerFacts } from './partner-facts.ts';
import { canAssignTgdRole, canManagePartnerStaff, canTakeAccess, type Person, type StaffAction } from './policy.ts';
import { canBeResent } from './staff/end-invitation.ts';
import { Permission, type PermissionAnswer } from './types.ts';

/**
 * Returns in advance whether roles may be given. `ok` is false if the mutation would be 403, 404 or 422, or 409 because
 * the partner is offboarded. Other conflicts with the current state (409) are no question of permission.
 */
async function probeAssignRole(
  context: SessionContext,
  input: { targetUserId: string; requestedRoles: readonly string[]; requestedScope?: string | null | undefined },
): Promise<Decision> {
  const { prisma } = context.services;
  const { targetUserId, requestedRoles, requestedScope } = input;
  const target = await findPerson(context, targetUserId);
  const scope = requestedScope === undefined ? (target?.whitelabelOwnership ?? null) : requestedScope;
  return canAssignTgdRole(context.caller, await callersPartner(prisma, context), {
    targetUserId,
    target,
    requestedRoles,
    requestedScope,
    partnerOfScope: scope === null ? null : await findPartnerFacts(prisma, scope),
  });
}

async function findPerson({ services }: SessionContext, userId: string): Promise<Person | null> {
  const user = await services.prisma.iamUser.findFirst({ where: { idpUserId: userId, deletedAt: null } });
  return user && { userId, platformRoles: user.platformRoles, whitelabelOwnership: user.whitelabelOwnership };
}

/**
 * Returns in advance whether an action on a roster is permitted. `ok` is false if the mutation would be 403, 404 or
 * 422, or 409 because the partner is offboarded. Other conflicts with the current state (409) are no question of
 * permission.
 */
async function probeManagePartnerStaff(
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

/** The answer about a change for which the second factor must be fresh, if nothing else refuses it. */
function withFreshFactor({ services, caller }: SessionContext, decision: Decision): PermissionAnswer {
  const problem = decision.ok ? secondFactorProblem(services, caller) : null;
  return problem === null ? decision : { ok: false, reason: problem };
}

const needsFreshFactor: ReadonlySet<StaffAction> = new Set<StaffAction>(['invite', 'set-roles']);

const probeLimit: FieldLimit<SessionContext, unknown> = {
  name: 'probes',
  max: 600,
  window: '1m',
  by: ({ caller }) => caller.userId,
};

builder.queryFields((t) => ({
  assignRolePermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      'Whether the caller may give a user these roles in this scope. `ok` is false exactly if the mutation would be ' +
      '403, 404 or 422, or 409 `partner_offboarded`. At most 600 calls a minute for a user.',
    args: {
      input: t.arg({ type: AssignRoleProbe, required: true, description: 'The user, the roles and the scope.' }),
    },
    rateLimit: probeLimit,
    resolve: async (_root, { input }, context) => withFreshFactor(context, await probeAssignRole(context, input)),
  }),
  managePartnerStaffPermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      "Whether the caller may perform this action on a partner's roster. `ok` is false exactly if the mutation would " +
      'be 403, 404 or 422, or 409 `partner_offboarded`. At most 600 calls a minute for a user.',
    args: {
      input: t.arg({ type: PartnerStaffProbe, required: true, description: 'The partner, the action and the user.' }),
    },
    rateLimit: probeLimit,
    resolve: async (_root, { input }, context) => {
      const decision = await probeManagePartnerStaff(context, input);
      return needsFreshFactor.has(input.action) ? withFreshFactor(context, decision) : decision;
    },
  }),
}));
