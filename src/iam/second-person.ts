import { isAdmin, type RoleHolder } from '../auth/roles.ts';
import { queryRow, type Sql, sql } from '../database/sql.ts';
import { Forbidden } from '../lib/errors.ts';
import type { Services } from '../services.ts';

/** A person who asked for what another one must decide. */
export interface Requester {
  userId: string;
  email: string;
}

type Caller = RoleHolder & Requester;

/** Why a person may not decide on a request; null if they may. */
export type Refusal = 'caller_lacks_role' | 'second_person_required' | 'not_the_requester' | null;

/** Who asked decides nothing, in any session and under any form of the address. */
export function refusalToDecide(caller: Caller, requester: Requester): Refusal {
  if (!isAdmin(caller)) return 'caller_lacks_role';
  return isSamePerson(caller, requester) ? 'second_person_required' : null;
}

/** Only the requester withdraws a request; others reject it. */
export function refusalToWithdraw(caller: Caller, requester: Requester): Refusal {
  if (!isAdmin(caller)) return 'caller_lacks_role';
  return caller.userId === requester.userId ? null : 'not_the_requester';
}

function isSamePerson(one: Requester, other: Requester): boolean {
  return one.userId === other.userId || mailbox(one.email) === mailbox(other.email);
}

/** The mailbox of an address: what follows a plus sign is delivered to the same one. */
function mailbox(email: string): string {
  return email.toLowerCase().replace(/\+[^@]*(?=@)/, '');
}

const messages: Record<NonNullable<Refusal>, string> = {
  caller_lacks_role: 'Your role does not allow this (caller_lacks_role).',
  second_person_required: 'Another person than the one who asked must decide this (second_person_required).',
  not_the_requester: 'Only the person who asked withdraws the request; reject it instead (not_the_requester).',
};

export function assertMay(refusal: Refusal): void {
  if (refusal !== null) throw new Forbidden(refusal, messages[refusal]);
}

/** How long a person who got access from another one is not a second person beside them. */
const dependentForMs = 86_400_000;

/** What gives a person access, or makes it easier to act as them. */
const givingAccess = [
  'setUserPartnerScope',
  'setInternalUserRoles',
  'setStaffRoles',
  'inviteStaff',
  'acceptInvitation',
  'resetSecondFactor',
];

/** Whether an access was given in the last 24 hours: in row `r`, by membership `m` if it is about one, by `giver`. */
async function wasGiven({ pool, clock }: Pick<Services, 'pool' | 'clock'>, condition: Sql): Promise<boolean> {
  const since = new Date(clock.earliestReal().getTime() - dependentForMs);
  const given = await queryRow(
    pool,
    sql`
      SELECT 1
      FROM audit_rows r
      LEFT JOIN partner_memberships m ON m.id = r.target
      LEFT JOIN iam_users giver ON giver."idpUserId" = coalesce(m."invitedBy", r."actorId")
      WHERE r.at > ${since} AND r.outcome = 'allowed' AND r.action = ANY(${givingAccess}) AND (${condition})
      LIMIT 1`,
  );
  return given !== undefined;
}

/**
 * Whether a person of a partner got their access, in the last 24 hours, from a user who is not of the partner: staff
 * of the platform must not make an admin of a partner to act alone.
 */
export function gotAccessFromOutside(
  services: Pick<Services, 'pool' | 'clock'>,
  { userId }: Requester,
  partnerSlug: string,
): Promise<boolean> {
  return wasGiven(
    services,
    sql`(r.target = ${userId} OR m."userId" = ${userId}) AND giver."whitelabelOwnership" IS DISTINCT FROM ${partnerSlug}`,
  );
}

/** 403 if one of the two gave the other access in the last 24 hours: a user must not appoint their own second approver. */
export async function assertIndependent(
  services: Pick<Services, 'pool' | 'clock'>,
  { userId: one }: Requester,
  { userId: other }: Requester,
): Promise<void> {
  const given = (by: string, to: string): Sql =>
    sql`(r."actorId" = ${by} AND r.target = ${to}) OR (m."invitedBy" = ${by} AND m."userId" = ${to})`;
  if (await wasGiven(services, sql`${given(one, other)} OR ${given(other, one)}`))
    throw new Forbidden(
      'second_person_not_independent',
      'One of the two gave the other access in the last 24 hours: a third person must decide ' +
        '(second_person_not_independent).',
    );
}
