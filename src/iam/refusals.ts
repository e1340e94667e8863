import { Conflict, type DomainError, Forbidden, InvalidInput, NotFound } from '../kit/errors.ts';
import type { Decision, Reason } from './policy.ts';

/** Every reason in a sentence. The word itself stands at its end: it is part of the contract. */
const sentences: Record<Reason | 'slug_taken' | 'membership_not_active' | 'last_superadmin', string> = {
  caller_lacks_role: 'Your role does not allow this',
  self_assignment_forbidden: 'Nobody changes their own roles, scope or membership',
  role_not_assignable: 'One of the roles cannot be given to this person here',
  role_requires_partner_scope: 'The role partneradmin needs a partner: set the scope first',
  other_partner: 'This is another partner',
  target_not_found: 'There is no such person here',
  target_in_other_partner: 'The person belongs to a partner: a superadmin must detach them first',
  target_is_internal_staff: 'The person is internal staff',
  target_is_org_owner: "The person owns a merchant's organization",
  email_not_invitable: 'This e-mail address cannot be invited',
  already_on_roster: 'The person is on the roster with these roles already',
  partner_offboarded: 'The partner is offboarded',
  partner_not_found: 'There is no such partner',
  scope_change_not_allowed: 'Only a superadmin moves somebody between scopes',
  slug_taken: 'The slug is taken, or was once',
  membership_not_active: 'The membership is not active',
  last_superadmin: 'This is the last superadmin',
};

type Word = keyof typeof sentences;

function sentence(reason: Word): string {
  return `${sentences[reason]} (${reason}).`;
}

export function forbidden(reason: Reason): Forbidden {
  return new Forbidden(reason, sentence(reason));
}

export function conflict(reason: Word): Conflict {
  return new Conflict(reason, sentence(reason));
}

export function notFound(reason: 'target_not_found' | 'partner_not_found'): NotFound {
  return new NotFound(sentence(reason));
}

/** A decision of the policy as the refusal of a request: 403 unless it is said to be about existence or meaning. */
export function assertAllowed(decision: Decision, refuse: (reason: Reason) => DomainError = forbidden): void {
  if (!decision.ok) throw refuse(decision.reason);
}

/** 422: roles that are known and cannot be given here. */
export function notAssignable(reason: Reason): InvalidInput {
  return new InvalidInput([{ path: 'roles', message: `cannot be given here: ${sentence(reason)}`, reason }]);
}
