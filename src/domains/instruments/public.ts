/** What other domains may use of this one. No file of this domain imports it. */
export { createPaymentInstrument } from './create-payment-instrument.ts';
export type { InstrumentGuard } from './instrument-guard.ts';
export { noSuchInstrument } from './instrument-rows.ts';
export { tokenizeCard } from './tokenize-card.ts';
