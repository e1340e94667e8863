import type { Write } from '../../write/write.ts';

/** A domain that depends on payment instruments. Instruments call it and do not import it. */
export interface InstrumentGuard {
  /**
   * Throws a conflict if an instrument must not be deleted because it is still in use. Runs in the database transaction
   * of the deletion, with the row of the customer locked.
   */
  assertMayDelete(change: Write, paymentInstrumentId: string): Promise<void>;
}
