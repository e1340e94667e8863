import { isHub, isSuperadmin, type RoleHolder } from '../../auth/roles.ts';

/** Why a user may not decide on a request; null if they may. */
export type Refusal = 'caller_lacks_role' | 'second_person_required' | 'not_the_requester' | null;

/** The user who requested a refund. */
export interface Requester {
  userId: string;
  email: string;
}

type Caller = RoleHolder & Requester;

/** Identifies a user across sessions and changes of the e-mail address. Two users never have the same address. */
function isSamePerson(caller: Caller, requester: Requester): boolean {
  return caller.userId === requester.userId || caller.email.toLowerCase() === requester.email.toLowerCase();
}

/** A user who may refund can approve and reject the requests of other users. */
export function refusalToDecide(caller: Caller, requester: Requester): Refusal {
  if (!isHub(caller)) return 'caller_lacks_role';
  return isSamePerson(caller, requester) ? 'second_person_required' : null;
}

/** Only the requester withdraws a request; others reject it. */
export function refusalToWithdraw(caller: Caller, requester: Requester): Refusal {
  if (!isHub(caller)) return 'caller_lacks_role';
  return caller.userId === requester.userId ? null : 'not_the_requester';
}

/** Only superadmins set the amount from which a second user is needed. */
export function refusalToSetLimit(caller: RoleHolder): Refusal {
  return isSuperadmin(caller) ? null : 'caller_lacks_role';
}
