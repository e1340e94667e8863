/** What other domains may use of this one. No file of this domain imports it. */
export {
  type BooksCheck,
  differencesShownMax,
  type LinkedDifference,
  latestCheck,
  linkDifferences,
  storeCheck,
} from './books-checks.ts';
export { compareWithTestProcessor, type MissedNotice } from './compare-processor-records.ts';
export type { Difference } from './ledger-differences.ts';
export { type JournalEntry, postingPart, postingsPart } from './postings.ts';
export { postingsOfPayment } from './postings-of-payment.ts';
export { LedgerPosting, type PostingRow } from './types.ts';
export { type LedgerReport, verifyLedger } from './verify-ledger.ts';
