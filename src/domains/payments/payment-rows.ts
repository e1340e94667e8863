import type {
  Payment as PaymentRecord,
  Refund as RefundRecord,
  ThreeDsSession,
  Transaction as TransactionRecord,
} from '../../generated/prisma/client.ts';

/** Amounts are numbers in rows of our own statements and big integers in rows read by Prisma. */
type Loose<Row> = { [Name in keyof Row]: bigint extends Row[Name] ? number | bigint : Row[Name] };

export type PaymentRow = Loose<PaymentRecord>;
export type TransactionRow = Loose<TransactionRecord>;
export type ChallengeRow = ThreeDsSession;
export type RefundRow = Loose<RefundRecord>;

/** The answer of the operations on one payment. */
/** Which payment, and whose. */
export type PaymentOfAccount = Pick<PaymentRow, 'id' | 'platformAccountId'>;

export interface PaymentWithTransactions {
  payment: PaymentRow;
  transactions: TransactionRow[];
}

/** The answer of a capture, void or refund; `refund` is null unless it was a refund. */
export interface ModificationResult extends PaymentWithTransactions {
  refund: RefundRow | null;
}

/** What the payer has to do, as it is stored with the payment. */
export interface RequiredAction {
  type: string;
  url: string;
  threedsSessionId: string;
  expiresAt: string;
}
