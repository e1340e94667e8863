/** What other domains may use of this one. No file of this domain imports it. */
export { acceptInvitation } from './accept-invitation.ts';
export { assertOwnOrigin, authenticateSession } from './authenticate-session.ts';
export { joinAsSignedIn } from './join-as-signed-in.ts';
export { listOwnInvitations } from './list-own-invitations.ts';
export { receiveIdentityEvent } from './receive-identity-event.ts';
export { countAttempt } from './sign-in-attempts.ts';
