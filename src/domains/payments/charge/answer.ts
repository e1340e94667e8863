import type pg from 'pg';
import { execute } from '../../../database/sql.ts';
import { toJson } from '../../../lib/json.ts';
import type { Services } from '../../../services.ts';
import { answersRunning, claimPart, type IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { type PaymentRow, type PaymentWithTransactions, requirePayment, type TransactionRow } from '../payment/rows.ts';
import { initialColumns } from './intent.ts';

/**
 * The stored answer of a charge, for a repeat of its call: only the parts that may change later. The rest is read from
 * the rows, which are never deleted.
 */
export interface StoredCharge {
  paymentId: string;
  /** The columns that may change, without those that equal `columnsAtStart`. */
  changing: Partial<PaymentRow>;
  /** In the order of the answer, without the columns that are null. */
  transactions: (Pick<TransactionRow, 'id'> & Partial<TransactionRow>)[];
}

/** The columns that change after a charge, with the values that they have at its start. */
const columnsAtStart = { ...initialColumns, subStatus: null, actionExpiresAt: null, processorId: null, cascade: null };

export function storedCharge({ payment, transactions }: PaymentWithTransactions): StoredCharge {
  const { status, sequence, updatedAt, metadata } = payment;
  const isChanged = ([column, value]: [string, unknown]) => payment[column as keyof PaymentRow] !== value;
  const changed = Object.entries(columnsAtStart).filter(isChanged);
  return {
    paymentId: payment.id,
    changing: {
      ...Object.fromEntries(changed.map(([column]) => [column, payment[column as keyof PaymentRow]])),
      status,
      sequence,
      updatedAt,
      // The database sorts its keys, and a repeated call gets the same bytes.
      ...(Object.keys(metadata ?? {}).length > 0 && { metadata }),
    },
    transactions: transactions.map(({ id, status: ended, processorReference, failureCode }) => ({
      id,
      status: ended,
      ...(processorReference !== null && { processorReference }),
      ...(failureCode !== null && { failureCode }),
    })),
  };
}

/** The answer of an earlier call, as it was then. Stored dates are strings, which the scalars accept too. */
export async function earlierAnswer(
  { prisma }: Pick<Services, 'prisma'>,
  stored: unknown,
): Promise<PaymentWithTransactions> {
  // stored by one of the statements of a charge; those without a processor store all of it
  const answer = stored as StoredCharge | PaymentWithTransactions;
  if ('payment' in answer) return answer;
  const { payment, transactions } = await requirePayment(prisma, { id: answer.paymentId });
  const rows = new Map(transactions.map((row) => [row.id, row]));
  return {
    payment: { ...payment, ...columnsAtStart, ...answer.changing },
    transactions: answer.transactions.flatMap((ended) => {
      const row = rows.get(ended.id);
      return row ? [{ ...row, processorReference: null, failureCode: null, ...ended }] : [];
    }),
  };
}

/** Stores the answer of a call whose outcome is unknown: the payment in `processing`. */
export async function commitUnknown(pool: pg.Pool, state: PaymentWithTransactions): Promise<void> {
  // If the outcome is known by now, the answer that reports it is kept.
  await execute(pool, answersRunning([{ subjectId: state.payment.id, answer: state }]));
}

/** Stores the answer of a call that changed nothing. Returns false if its key belongs to an earlier call. */
export async function commitUnchanged(
  pool: pg.Pool,
  recordKey: IdempotencyRecordKey,
  state: PaymentWithTransactions,
): Promise<boolean> {
  return (await execute(pool, claimPart(recordKey, state.payment.id, { answer: toJson(state) }))) === 1;
}
