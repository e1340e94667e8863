/** What other domains may use of this one. No file of this domain imports it. */
export { callbackPath, consentPath, testAuthorizePath, testTokenPath } from './authorization-server.ts';
export { brandOfAttempt, type Consent, consentCookieOf, formTokenOf, giveConsent, readConsent } from './consent.ts';
export { type ConnectOutcome, finishConnect } from './finish-connect.ts';
export { answerAuthorization, answerToken, readAuthorization } from './test-authorization.ts';
