/** What other domains may use of this one. No file of this domain imports it. */
export {
  brandOfAttempt,
  type Consent,
  callbackPath,
  consentCookieOf,
  consentPath,
  formTokenOf,
  giveConsent,
  readConsent,
  testAuthorizePath,
  testTokenPath,
} from './attempt.ts';
export { type ConnectOutcome, finishConnect } from './finish-connect.ts';
export { answerAuthorization, answerToken, readAuthorization } from './test-authorization.ts';
