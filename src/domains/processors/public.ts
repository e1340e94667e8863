/** What other domains may use of this one. No file of this domain imports it. */
export { addProcessor } from './change-processor.ts';
export {
  type Consent,
  callbackPath,
  openAnswer,
  readConsent,
  sealAnswer,
  testAuthorizePath,
  testTokenPath,
} from './connect/attempt.ts';
export { type ConnectFailure, checkAnswer, finishConnect } from './connect/finish-connect.ts';
export { answerAuthorization, answerToken, readAuthorization } from './connect/test-authorization.ts';
export { type ConnectionRow, connectionTo, openConnection } from './connection.ts';
export { type ChargeFlow, type ChargeRoute, routeOfCharge } from './flows/route.ts';
export {
  type ChosenProcessor,
  findUsableProcessor,
  type ProcessorRow,
  usableSql,
} from './rows.ts';
export { Processor } from './types.ts';
