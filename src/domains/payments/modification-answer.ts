import type { Services } from '../../services.ts';
import type { ModificationResult, TransactionRow } from './payment-rows.ts';
import { requirePayment } from './payment-with-transactions.ts';

/**
 * The answer of a capture, void or refund as it is stored for a repeat of its call. Of the transactions it has what may
 * change later, since a payment may have hundreds of them and each of its refunds answers all. The rest is read from
 * the rows, of which none is ever removed.
 */
interface StoredModification extends Omit<ModificationResult, 'transactions'> {
  /** In the order of the answer: the id of one that had succeeded, or what another one was then. */
  transactionsThen: (string | Pick<TransactionRow, 'id' | 'status' | 'processorReference' | 'failureCode'>)[];
}

export function storedModification({ payment, refund, transactions }: ModificationResult): StoredModification {
  return {
    payment,
    refund,
    transactionsThen: transactions.map(({ id, status, processorReference, failureCode }) =>
      status === 'succeeded' ? id : { id, status, processorReference, failureCode },
    ),
  };
}

/** The answer of an earlier call, as it was then. Dates that are stored are strings, which the scalars take too. */
export async function earlierModification(
  { prisma }: Pick<Services, 'prisma'>,
  stored: unknown,
): Promise<ModificationResult> {
  // stored by one of the functions of commit-modification-end.ts; earlier versions, and unknown outcomes, store all of
  // it
  const answer = stored as StoredModification | ModificationResult;
  if ('transactions' in answer) return answer;
  const { payment, refund, transactionsThen } = answer;
  const { transactions } = await requirePayment(prisma, { id: payment.id });
  const rows = new Map(transactions.map((row) => [row.id, row]));
  return {
    payment,
    refund,
    transactions: transactionsThen.flatMap((then) => {
      const row = rows.get(typeof then === 'string' ? then : then.id);
      if (!row) return [];
      return typeof then === 'string' ? { ...row, status: 'succeeded', failureCode: null } : { ...row, ...then };
    }),
  };
}
