/** What other domains may use of this one. No file of this domain imports it. */

export { type AuditedChange, type AuditedWrite, runAuditedChange, runChangeAtProvider } from './audited-change.ts';
export { callersPartner, lockPartnerForShare } from './partner-facts.ts';
export {
  canAdministerPlatform,
  canManagePartnerKeys,
  canReadPartners,
  canUpdatePartner,
} from './policy.ts';
export {
  assertIndependent,
  assertMay,
  gotAccessFromOutside,
  type Refusal,
  type Requester,
  refusalToDecide,
  refusalToWithdraw,
} from './second-person.ts';
export { closedInvitation, isExpired } from './staff/end-invitation.ts';
export { inviteStaff } from './staff/invite-staff.ts';
export { assertMayJoin, type JoinContext, joinRoster } from './staff/join-roster.ts';
export { revokeMemberships } from './staff/membership-rows.ts';
export { assertBranding } from './staff/pending-invitation.ts';
export { tellAdmins } from './tell-admins.ts';
export { MembershipStatus, type Slice } from './types.ts';
export { lockName } from './users/access.ts';
export { escapeLike } from './users/list-users.ts';
