/** What other domains may use of this one. No file of this domain imports it. */

export { type Figure, type FigureKey, type FiguresSpan, figuresMax, readFigures } from './figures/read-figures.ts';
export {
  differencesShownMax,
  type LedgerCheck,
  type LinkedDifference,
  latestCheck,
  linkDifferences,
  storeCheck,
} from './ledger-checks.ts';
export { type JournalEntry, postingsOfPayments, postingsPart } from './postings.ts';
export { LedgerPosting, type PostingRow } from './schema.ts';
export { type LedgerReport, verifyLedger } from './verify-ledger.ts';
