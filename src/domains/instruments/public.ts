/** What other domains may use of this one. No file of this domain imports it. */
export { shownDigits } from './card.ts';
export { asCardAttempt, attemptDeclinedPart, type CardVisit, countDecline } from './card-attempts.ts';
export { createPaymentInstrument } from './create-payment-instrument.ts';
export { listCardTestingAlerts } from './instrument-list.ts';
export { deleteInstrumentsOf } from './instrument-rows.ts';
export { tokensOverSince } from './jobs.ts';
export { presentNumber } from './number-guard.ts';
export { type TokenizedCard, tokenizeCard } from './tokenize-card.ts';
export { PaymentInstrument } from './types.ts';
