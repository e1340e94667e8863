/** What other domains may use of this one. No file of this domain imports it. */
export { type AuditListRow, auditColumns, auditedPartnerOf, auditRowsOf } from './audit/columns.ts';
export { AuditFilters, auditListOf } from './audit/list-audit-rows.ts';
export { AuditEntry } from './audit/types.ts';
export { type AuditedWrite, runAuditedChange } from './audited-change.ts';
export { requestPasswordReset, sendChangeMail } from './identity/account-mail.ts';
export { assertOwnOrigin, authenticateSession, needsSecondFactor } from './identity/authenticate-session.ts';
export { type InvitationView, listOwnInvitations, readInvitationView } from './identity/invitations.ts';
export { acceptInvitation, joinAsSignedIn } from './identity/join.ts';
export { deviceCookie, deviceKeptMs, knownDevice, newDevice } from './identity/known-device.ts';
export { endSession, markUserDeleted, readUser, upsertUser } from './identity/mirror.ts';
export { receiveIdentityEvent } from './identity/receive-identity-event.ts';
export { endingSessionsOf } from './identity/sessions.ts';
export { boundedGuess } from './identity/sign-in-rule.ts';
export { callersPartner, lockPartnerForShare } from './partner-facts.ts';
export { readLogoFile } from './partners/partner-logo.ts';
export { Partner } from './partners/types.ts';
export { canAdministerPlatform, canManagePartnerKeys } from './policy.ts';
export {
  assertIndependent,
  assertMay,
  gotAccessFromOutside,
  type Refusal,
  type Requester,
  refusalToDecide,
  refusalToWithdraw,
} from './second-person.ts';
export { expiredSince } from './staff/end-invitation.ts';
export { tellAdmins } from './tell-admins.ts';
