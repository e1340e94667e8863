import {
  Conflict,
  type DomainError,
  Forbidden,
  InvalidInput,
  NotFound,
  type PolicyReason as Reason,
} from '../lib/errors.ts';
import { rolesFor } from './roles.ts';

export type Decision = { ok: true } | Denial;

export interface Denial {
  ok: false;
  reason: Reason;
  /** The required roles, if the caller lacks them. */
  takes?: string;
}

/** The facts of a partner on which decisions depend; null if no partner has the slug. */
export type PartnerFacts = { slug: string; status: string } | null;

export const allowed: Decision = { ok: true };

export function denied(reason: Reason): Denial {
  return { ok: false, reason };
}

export function lacksRole(required: Parameters<typeof rolesFor>[0]): Denial {
  return { ok: false, reason: 'caller_lacks_role', takes: rolesFor(required) };
}

/** The message of every reason. The code at its end is part of the API (docs/contract/19-iam.md). */
const messages: Record<
  Reason | 'slug_taken' | 'membership_not_active' | 'last_superadmin' | 'no_second_factor',
  string
> = {
  caller_lacks_role: 'Your role does not allow this',
  self_assignment_forbidden: 'A user cannot change their own roles, scope or membership',
  role_not_assignable: 'One of the roles cannot be given to this person here',
  role_requires_partner_scope: 'The role partneradmin requires a partner: set the scope first',
  other_partner: 'This is another partner: requires the role superadmin, hubadmin or platformpaymentAdmin',
  target_not_found: 'Person not found',
  target_in_other_partner: 'The person belongs to a partner: a superadmin must detach them first',
  target_is_internal_staff: 'The person is internal staff',
  target_is_org_owner: "The person owns a merchant's organization",
  email_not_invitable: 'This email address cannot be invited',
  already_on_roster: 'The person already has these roles on the roster',
  partner_offboarded: 'The partner is offboarded',
  partner_not_found: 'Partner not found',
  scope_change_not_allowed: 'Only a superadmin can move a user between scopes',
  slug_taken: 'The slug is in use, or was in use before',
  membership_not_active: 'The membership is not active',
  last_superadmin: 'This is the last superadmin',
  no_second_factor: 'The person has no second factor',
};

type ReasonCode = keyof typeof messages;

function messageOf(reason: ReasonCode): string {
  return `${messages[reason]} (${reason}).`;
}

/** 403, with the required roles if the caller lacks them. */
export function forbidden(reason: Reason, takes?: string): Forbidden {
  return new Forbidden(reason, messageOf(reason) + (takes === undefined ? '' : ` Requires the role ${takes}.`));
}

export function conflict(reason: ReasonCode): Conflict {
  return new Conflict(reason, messageOf(reason));
}

export function notFound(reason: 'target_not_found' | 'partner_not_found'): NotFound {
  return new NotFound(messageOf(reason));
}

/** Throws the error of a refusal: 403 by default, 404, 409 or 422 with another `refuse`. */
export function assertAllowed(
  decision: Decision,
  refuse: (reason: Reason, takes?: string) => DomainError = forbidden,
): void {
  if (!decision.ok) throw refuse(decision.reason, decision.takes);
}

/** 422: roles that exist and cannot be given in this scope. */
export function notAssignable(reason: Reason): InvalidInput {
  return new InvalidInput([{ path: 'roles', message: `cannot be given here: ${messageOf(reason)}`, reason }]);
}
