import {
  holds,
  isHub,
  isPlatformReader,
  isReader,
  isSuperadmin,
  type PlatformRole,
  type RoleHolder,
} from '../auth/roles.ts';

/**
 * Who may do what to whom, and why not. Every decision is a plain function of facts that were read before: the probes, the mutations
 * and the scopes of the root fields ask the same ones, so that a probe cannot promise what the mutation refuses.
 */

export const reasons = [
  'caller_lacks_role',
  'self_assignment_forbidden',
  'role_not_assignable',
  'role_requires_partner_scope',
  'other_partner',
  'target_not_found',
  'target_in_other_partner',
  'target_is_internal_staff',
  'target_is_org_owner',
  'email_not_invitable',
  'already_on_roster',
  'partner_offboarded',
  'partner_not_found',
  'scope_change_not_allowed',
] as const;

export type Reason = (typeof reasons)[number];
export type Decision = { ok: true } | { ok: false; reason: Reason };

/** A person as the identity provider knows them. */
export interface Person extends RoleHolder {
  userId: string;
}

/** A partner as far as decisions go; null where no partner has that slug. */
export type PartnerFacts = { slug: string; status: string } | null;

/** What may be given to somebody without a partner scope. */
export const INTERNAL_ASSIGNABLE_ROLES: readonly PlatformRole[] = [
  'accountmanager',
  'hubadmin',
  'platformpaymentAdmin',
  'superadmin',
];

/** What may be given to somebody scoped to a partner. */
export const PARTNER_ASSIGNABLE_ROLES: readonly PlatformRole[] = ['accountmanager', 'partneradmin'];

/** What means nothing without a partner scope, and goes when the scope goes. */
export const PARTNER_ONLY_ROLES: readonly PlatformRole[] = ['partneradmin', 'partnerstaff'];

export const staffActions = ['invite', 'revoke', 'delete', 'resend-invitation', 'set-roles'] as const;
export type StaffAction = (typeof staffActions)[number];

export const allowed: Decision = { ok: true };

export function denied(reason: Reason): Decision {
  return { ok: false, reason };
}

/** Creating and archiving partners, internal users, scopes and tags are the superadmins'. */
export function canAdministerPlatform(caller: Person): Decision {
  return isSuperadmin(caller) ? allowed : denied('caller_lacks_role');
}

/** Partners, their staff and organizations may be looked at, and edited, by hubadmin and above. */
export function canReadPartners(caller: Person): Decision {
  return isHub(caller) ? allowed : denied('caller_lacks_role');
}

/** Editing a partner is hubadmin's; taking it off the platform is the superadmins'. */
export function canUpdatePartner(caller: Person, changes: { status?: string | null | undefined }): Decision {
  return changes.status === 'offboarded' ? canAdministerPlatform(caller) : canReadPartners(caller);
}

/**
 * The gate of the five staff endpoints. It looks at the caller and the slug alone: whether the partner and the target exist is
 * asked after it, so that a partneradmin cannot find out which slugs or people there are.
 */
export function canManagePartnerStaff(
  caller: Person,
  partnerSlug: string,
  callersPartner: PartnerFacts,
  ask?: { action: StaffAction; targetUserId?: string | null },
): Decision {
  if (!isHub(caller)) {
    if (!holds(caller, 'partneradmin')) return denied('caller_lacks_role');
    if (caller.whitelabelOwnership !== partnerSlug) return denied('other_partner');
    if (callersPartner?.status === 'offboarded') return denied('partner_offboarded');
  }
  // A fresh invitation to oneself changes nothing; it fails for another reason: who calls has no pending one.
  const self = ask?.targetUserId === caller.userId && ask.action !== 'resend-invitation';
  return self ? denied('self_assignment_forbidden') : allowed;
}

/** Nobody changes their own roles, row or scope, superadmins included. */
export function canChangeAccessOf(caller: Person, targetUserId: string): Decision {
  return caller.userId === targetUserId ? denied('self_assignment_forbidden') : allowed;
}

/**
 * Whether the roles asked for may stand in a scope: only those that are added are held against the assignable set; what is on the
 * target already may stay or go.
 */
export function canHoldRoles(scope: string | null, present: readonly string[], requested: readonly string[]): Decision {
  const assignable: readonly string[] = scope === null ? INTERNAL_ASSIGNABLE_ROLES : PARTNER_ASSIGNABLE_ROLES;
  const refused = requested.find((role) => !present.includes(role) && !assignable.includes(role));
  if (refused === undefined) return allowed;
  return denied(scope === null && refused === 'partneradmin' ? 'role_requires_partner_scope' : 'role_not_assignable');
}

/** What is left of roles when a person leaves a partner: those that need one go, others stay and begin to count again. */
export function rolesInScope(roles: readonly string[], scope: string | null): string[] {
  return roles.filter((role) => scope !== null || !(PARTNER_ONLY_ROLES as readonly string[]).includes(role));
}

export interface RoleRequest {
  targetUserId: string;
  /** Null where nobody has that id. */
  target: Person | null;
  requestedRoles: readonly string[];
  /** Left out: the target's present scope. */
  requestedScope?: string | null | undefined;
  /** The partner of the requested scope. */
  requestedPartner: PartnerFacts;
}

/** Whether the caller may give these roles in this scope (the specification's name for it). */
export function canAssignTgdRole(caller: Person, callersPartner: PartnerFacts, request: RoleRequest): Decision {
  const { targetUserId, target, requestedRoles, requestedScope, requestedPartner } = request;
  if (!isHub(caller)) {
    // Of other partners and their people a partneradmin hears nothing, not even whether they exist.
    const gate = canManagePartnerStaff(
      caller,
      typeof requestedScope === 'string' ? requestedScope : (caller.whitelabelOwnership ?? ''),
      callersPartner,
    );
    if (!gate.ok) return gate;
  }
  const self = canChangeAccessOf(caller, targetUserId);
  if (!self.ok) return self;
  if (!isHub(caller) && target?.whitelabelOwnership !== caller.whitelabelOwnership) return denied('target_not_found');
  // What a hubadmin may never do is said before anything about the target.
  if (!isSuperadmin(caller) && requestedScope === null) return denied('scope_change_not_allowed');
  if (target === null) return denied('target_not_found');
  const scope = requestedScope === undefined ? target.whitelabelOwnership : requestedScope;
  if (scope !== target.whitelabelOwnership && !isSuperadmin(caller)) return denied('scope_change_not_allowed');
  if (scope === null && !isSuperadmin(caller)) return denied('caller_lacks_role');
  if (typeof requestedScope === 'string' && requestedPartner === null) return denied('partner_not_found');
  const present =
    scope === target.whitelabelOwnership ? target.platformRoles : rolesInScope(target.platformRoles, scope);
  return canHoldRoles(scope, present, requestedRoles);
}

/** Why somebody with an account cannot be invited to a partner's roster; ok where they can. State, not permission: 409 even for a superadmin. */
export function canBeInvited(target: RoleHolder & { isOrgOwner: boolean }, partnerSlug: string): Decision {
  const { whitelabelOwnership: scope, platformRoles } = target;
  if (scope === partnerSlug) return allowed;
  if (scope !== null) return denied('target_in_other_partner');
  if (platformRoles.length > 0) return denied('target_is_internal_staff');
  return target.isOrgOwner ? denied('target_is_org_owner') : allowed;
}

/** The reason as the caller may hear it: who the person is elsewhere is told to hubadmin and above only. */
export function tellable(caller: Person, reason: Reason): Reason {
  const secrets: readonly Reason[] = ['target_in_other_partner', 'target_is_internal_staff', 'target_is_org_owner'];
  return !isHub(caller) && secrets.includes(reason) ? 'email_not_invitable' : reason;
}

/** Whose people a caller may look through: everybody's (null), or one partner's. */
export function readableScope(
  caller: Person,
  callersPartner: PartnerFacts,
): { ok: true; partnerSlug: string | null } | { ok: false; reason: Reason } {
  if (isPlatformReader(caller)) return { ok: true, partnerSlug: null };
  if (!isReader(caller)) return { ok: false, reason: 'caller_lacks_role' };
  if (callersPartner?.status === 'offboarded') return { ok: false, reason: 'partner_offboarded' };
  return { ok: true, partnerSlug: caller.whitelabelOwnership };
}
