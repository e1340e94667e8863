/** What other domains may use of this one. No file of this domain imports it. */
export { countAttempt } from '../../limits/windows.ts';
export { requestPasswordReset, sendChangeMail } from './account-mail.ts';
export { assertOwnOrigin, authenticateSession, needsSecondFactor } from './authenticate-session.ts';
export { type InvitationView, listOwnInvitations, readInvitationView } from './invitations.ts';
export { acceptInvitation, joinAsSignedIn } from './join.ts';
export { endingSessionsOf } from './own-sessions.ts';
export { receiveIdentityEvent } from './receive-identity-event.ts';
export { boundedGuess } from './sign-in-rule.ts';
