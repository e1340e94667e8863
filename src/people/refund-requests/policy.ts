import { isHub, isSuperadmin, type RoleHolder } from '../../auth/roles.ts';

/** Why a person may not decide about a request; null if they may. */
export type Refusal = 'caller_lacks_role' | 'second_person_required' | 'not_the_requester' | null;

/** Who asked for a refund. */
export interface Requester {
  userId: string;
  email: string;
}

type Caller = RoleHolder & Requester;

/** A person is the same in another session and with another address, and an address is not given to two people. */
function isSamePerson(caller: Caller, requester: Requester): boolean {
  return caller.userId === requester.userId || caller.email.toLowerCase() === requester.email.toLowerCase();
}

/** Who may refund, approves and rejects what another person asked for. */
export function refusalToDecide(caller: Caller, requester: Requester): Refusal {
  if (!isHub(caller)) return 'caller_lacks_role';
  return isSamePerson(caller, requester) ? 'second_person_required' : null;
}

/** Only the person who asked withdraws a request; others reject it. */
export function refusalToWithdraw(caller: Caller, requester: Requester): Refusal {
  if (!isHub(caller)) return 'caller_lacks_role';
  return caller.userId === requester.userId ? null : 'not_the_requester';
}

/** Superadmins alone set from which amount a second person is needed. */
export function refusalToSetLimit(caller: RoleHolder): Refusal {
  return isSuperadmin(caller) ? null : 'caller_lacks_role';
}
