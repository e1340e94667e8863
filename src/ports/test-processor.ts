import type { CardProcessor, DisputeNotice, DisputeReason, DisputeStatus } from './card-processor.ts';
import type { ProcessorRecords, ProcessorRecordsPage } from './processor-records.ts';

/** The built-in processor. Its behavior depends on the test card. It stores its own records by its own connections. */
export interface TestProcessor extends CardProcessor {
  /** Its records, for reconciliation with the ledger. */
  processorRecords(page?: ProcessorRecordsPage): Promise<ProcessorRecords>;
  disputes: TestDisputes;
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

/** A dispute to be opened at the issuer. A repeated reference returns the existing dispute. */
export interface DisputeRequest {
  reference: string;
  /** The reference of the charge at the processor. */
  authorizationReference: string;
  amount: number;
  reason: DisputeReason;
}
