import type { SessionContext } from '../../graph/context.ts';
import { callersPartner, findPartnerFacts } from './partner-facts.ts';
import { canAssignTgdRole, type Decision, type Person } from './policy.ts';

/**
 * Tells in advance whether roles may be given. `ok` is false where the mutation would be 403, 404 or 422, or 409 since
 * the partner is offboarded. Any other conflict with the present state (409) is not a question of permission.
 */
export async function probeAssignRole(
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
