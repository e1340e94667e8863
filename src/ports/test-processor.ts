import type {
  CardProcessor,
  DisputeNotice,
  DisputeReason,
  DisputeStatus,
  ModificationNotice,
} from './card-processor.ts';
import type { ProcessorRecords, ProcessorRecordsPage } from './processor-records.ts';

/** The built-in processor. Its behavior depends on the test card. It stores its own records by its own connections. */
export interface TestProcessor extends CardProcessor {
  /** Its records, for reconciliation with the ledger. */
  processorRecords(page?: ProcessorRecordsPage): Promise<ProcessorRecords>;
  disputes: TestDisputes;
  refundFailures: TestRefundFailures;
  close(): Promise<void>;
}

/** Disputes that integrators open. The caller that opens a dispute is notified at once. */
export interface TestDisputes {
  /** Returns a string with the reason if the charge cannot be disputed. */
  open(asked: DisputeRequest): Promise<DisputeNotice | string>;
  find(reference: string): Promise<DisputeNotice | null>;
  move(processorReference: string, status: DisputeStatus): Promise<DisputeNotice | null>;
  listUnnotified(): Promise<DisputeNotice[]>;
  markNotified(notice: DisputeNotice): Promise<void>;
  /** When the next dispute on a test clock is due. */
  nextOn(testClockId: string): Promise<Date | null>;
  /** Opens the disputes that are due on a test clock. */
  openOn(testClockId: string): Promise<DisputeNotice[]>;
}

/** Refunds of test cards whose refunds fail after they succeeded. */
export interface TestRefundFailures {
  /** Fails the refunds that are due by real time, and returns all failures of which the platform was not notified. */
  listUnnotified(): Promise<ModificationNotice[]>;
  markNotified(notice: ModificationNotice): Promise<void>;
  /** When the next refund on a test clock fails. */
  nextOn(testClockId: string): Promise<Date | null>;
  /** Fails the refunds that are due on a test clock. */
  failOn(testClockId: string): Promise<ModificationNotice[]>;
}

/** A dispute to be opened at the issuer. A repeated reference returns the existing dispute. */
export interface DisputeRequest {
  reference: string;
  /** The reference of the charge at the processor. */
  authorizationReference: string;
  amount: number;
  reason: DisputeReason;
}
