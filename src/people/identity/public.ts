/** What other domains may use of this one. No file of this domain imports it. */
export { countAttempt } from '../../auth/attempts.ts';
export { acceptInvitation } from './accept-invitation.ts';
export { tellOfChange } from './account-mail.ts';
export { assertOwnOrigin, authenticateSession, needsSecondFactor } from './authenticate-session.ts';
export { type InvitationView, readInvitationView } from './invitation-view.ts';
export { joinAsSignedIn } from './join-as-signed-in.ts';
export { listOwnInvitations } from './list-own-invitations.ts';
export { endingSessionsOf } from './own-sessions.ts';
export { receiveIdentityEvent } from './receive-identity-event.ts';
export { requestPasswordReset } from './request-password-reset.ts';
export { boundedGuess } from './sign-in-rule.ts';
