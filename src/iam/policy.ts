import { allowed, type Decision, denied, lacksRole, type PartnerFacts } from '../auth/decisions.ts';
import { holds, isHub, isSuperadmin, type PlatformRole, type RoleHolder } from '../auth/roles.ts';
import type { PolicyReason as Reason } from '../lib/errors.ts';

/**
 * The access decisions of the directory. Every decision is a pure function of facts that were read before it. The
 * probes, the mutations and the scopes of the root fields call the same functions, so that a probe cannot allow what
 * the mutation rejects.
 */

/** A user with the fields that the identity provider stores. */
export interface Person extends RoleHolder {
  userId: string;
}

/** Roles that can be given to a user without a partner. */
const INTERNAL_ASSIGNABLE_ROLES: readonly PlatformRole[] = [
  'accountmanager',
  'hubadmin',
  'platformpaymentAdmin',
  'superadmin',
];

/** Roles that can be given to a user of a partner. */
const PARTNER_ASSIGNABLE_ROLES: readonly PlatformRole[] = ['accountmanager', 'partneradmin'];

export const staffActions = ['invite', 'revoke', 'delete', 'resend-invitation', 'set-roles'] as const;
export type StaffAction = (typeof staffActions)[number];

/** Only superadmins create and archive partners, and change internal users, scopes and organization tags. */
export function canAdministerPlatform(caller: Person): Decision {
  return isSuperadmin(caller) ? allowed : lacksRole({ superadmin: true });
}

/** hubadmin and above read and edit partners, their staff and their organizations. */
export function canReadPartners(caller: Person): Decision {
  return isHub(caller) ? allowed : lacksRole({ hub: true });
}

/** hubadmin and above edit a partner; only superadmins offboard it. */
export function canUpdatePartner(caller: Person, changes: { status?: string | null | undefined }): Decision {
  return changes.status === 'offboarded' ? canAdministerPlatform(caller) : canReadPartners(caller);
}

/**
 * The permission for the five staff endpoints. It depends only on the caller and the slug. Whether the partner and the
 * target exist is checked after it, so that a partneradmin cannot find out which slugs or users exist.
 */
export function canManagePartnerStaff(
  caller: Person,
  partnerSlug: string,
  callersPartner: PartnerFacts,
  request?: { action: StaffAction; targetUserId?: string | null },
): Decision {
  const decision = canAdministerPartner(caller, partnerSlug, callersPartner);
  if (!decision.ok) return decision;
  // Resending an invitation to oneself changes nothing, and fails since a caller has no pending invitation.
  const isSelf = request?.targetUserId === caller.userId && request.action !== 'resend-invitation';
  return isSelf ? denied('self_assignment_forbidden') : allowed;
}

/**
 * The permission to make and revoke the keys of a partner. Whether a key needs a second person beside it depends on the
 * access of the caller (`createPartnerKey`).
 */
export function canManagePartnerKeys(caller: Person, partnerSlug: string, callersPartner: PartnerFacts): Decision {
  return canAdministerPartner(caller, partnerSlug, callersPartner);
}

function canAdministerPartner(caller: RoleHolder, partnerSlug: string, callersPartner: PartnerFacts): Decision {
  if (isHub(caller)) return allowed;
  if (!holds(caller, 'partneradmin')) return lacksRole({ admin: true });
  if (caller.whitelabelOwnership !== partnerSlug) return denied('other_partner');
  return callersPartner?.status === 'offboarded' ? denied('partner_offboarded') : allowed;
}

/** A user cannot change their own roles, membership or scope. This applies to superadmins too. */
export function canChangeAccessOf(caller: Person, targetUserId: string): Decision {
  return caller.userId === targetUserId ? denied('self_assignment_forbidden') : allowed;
}

/**
 * Whether a user may have the requested roles in a scope. Only added roles are compared with the assignable roles; the
 * user's current roles may stay or be removed.
 */
export function canHoldRoles(scope: string | null, present: readonly string[], requested: readonly string[]): Decision {
  const assignable: readonly string[] = scope === null ? INTERNAL_ASSIGNABLE_ROLES : PARTNER_ASSIGNABLE_ROLES;
  const refused = requested.find((role) => !present.includes(role) && !assignable.includes(role));
  if (refused === undefined) return allowed;
  return denied(scope === null && refused === 'partneradmin' ? 'role_requires_partner_scope' : 'role_not_assignable');
}

/**
 * The roles that a user keeps with another scope. A detached user keeps none: a role given at a partner would apply to
 * the whole platform.
 */
export function rolesAfterMove(roles: readonly string[], from: string | null, to: string | null): string[] {
  return from !== null && to === null ? [] : [...roles];
}

export interface RoleRequest {
  targetUserId: string;
  /** Null if no user has that id. */
  target: Person | null;
  requestedRoles: readonly string[];
  /** Default: the current scope of the target. */
  requestedScope?: string | null | undefined;
  /** The partner of the scope for the new roles. */
  partnerOfScope: PartnerFacts;
}

/** Whether the caller may give these roles in this scope (the specification's name for it). */
export function canAssignTgdRole(caller: Person, callersPartner: PartnerFacts, request: RoleRequest): Decision {
  const { targetUserId, target, requestedRoles, requestedScope, partnerOfScope } = request;
  if (!isHub(caller)) {
    // A partneradmin must not learn whether other partners and their users exist.
    const staffDecision = canManagePartnerStaff(
      caller,
      typeof requestedScope === 'string' ? requestedScope : (caller.whitelabelOwnership ?? ''),
      callersPartner,
    );
    if (!staffDecision.ok) return staffDecision;
  }
  const self = canChangeAccessOf(caller, targetUserId);
  if (!self.ok) return self;
  if (!isHub(caller) && target?.whitelabelOwnership !== caller.whitelabelOwnership) return denied('target_not_found');
  // Actions that a hubadmin may never do are rejected before anything about the target is disclosed.
  if (!isSuperadmin(caller) && requestedScope === null) return denied('scope_change_not_allowed');
  if (target === null) return denied('target_not_found');
  const scope = requestedScope === undefined ? target.whitelabelOwnership : requestedScope;
  if (scope !== target.whitelabelOwnership && !isSuperadmin(caller)) return denied('scope_change_not_allowed');
  if (scope === null && !isSuperadmin(caller)) return lacksRole({ superadmin: true });
  if (typeof requestedScope === 'string' && partnerOfScope === null) return denied('partner_not_found');
  const present = rolesAfterMove(target.platformRoles, target.whitelabelOwnership, scope);
  const roles = canHoldRoles(scope, present, requestedRoles);
  return roles.ok ? canTakeAccess(partnerOfScope) : roles;
}

/** An archived partner gives no new access. This refusal depends on state: the mutations are 409. */
export function canTakeAccess(partner: PartnerFacts): Decision {
  return partner?.status === 'offboarded' ? denied('partner_offboarded') : allowed;
}

/**
 * Whether a user with an account can be invited to a partner's roster. This refusal depends on state, not permission:
 * it is 409 for a superadmin too.
 */
export function canBeInvited(target: RoleHolder & { isOrgOwner: boolean }, partnerSlug: string): Decision {
  const { whitelabelOwnership: scope, platformRoles } = target;
  if (scope === partnerSlug) return allowed;
  if (scope !== null) return denied('target_in_other_partner');
  if (platformRoles.length > 0) return denied('target_is_internal_staff');
  return target.isOrgOwner ? denied('target_is_org_owner') : allowed;
}

/** The reason that is disclosed to the caller. Only hubadmin and above learn where else a user belongs. */
export function disclosableReason(caller: Person, reason: Reason): Reason {
  const secrets: readonly Reason[] = ['target_in_other_partner', 'target_is_internal_staff', 'target_is_org_owner'];
  return !isHub(caller) && secrets.includes(reason) ? 'email_not_invitable' : reason;
}
