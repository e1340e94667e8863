export interface ProcessorRecordsPage {
  /** The last reference of the page before. */
  after?: string;
  limit?: number;
}

/** The processor's side of a reconciliation: the totals of each currency, and one page of charges. */
export interface ProcessorRecords {
  totals: CurrencyTotals[];
  /** In order of reference. */
  charges: RecordedCharge[];
  /** The reference after which the next page starts; null after the last page. */
  next: string | null;
}

interface CurrencyTotals {
  currency: string;
  charges: number;
  /** Minor units, as a big integer since a sum may exceed the safe integers. */
  captured: bigint;
  refunded: bigint;
  /** Authorized, and neither captured nor voided. */
  held: bigint;
}

export interface RecordedCharge {
  reference: string;
  processorReference: string;
  status: string;
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
}
