/** What other domains may use of this one. No file of this domain imports it. */
export { assertMayJoin } from './assert-may-join.ts';
export { type AuditedChange, runAuditedChange, runChangeAtProvider } from './audited-change.ts';
export { assertBranding } from './branding.ts';
export { closedInvitation, isExpired } from './invitation-expiry.ts';
export { inviteStaff } from './invite-staff.ts';
export type { JoinContext } from './join-context.ts';
export { joinRoster } from './join-roster.ts';
export { revokedState } from './membership-rows.ts';
export { callersPartner, lockPartnerForShare } from './partner-facts.ts';
export {
  canAdministerPlatform,
  canManagePartnerStaff,
  canReadPartners,
  canUpdatePartner,
  readableScope,
} from './policy.ts';
export { assertAllowed, conflict, forbidden, notFound } from './refusals.ts';
export { MembershipStatus, type Slice } from './types.ts';
export { lockName } from './user-locks.ts';
export { escapeLike } from './user-rows.ts';
