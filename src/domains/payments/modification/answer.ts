import type { StoredAnswer } from '../../../graph/plugins.ts';
import type { Services } from '../../../services.ts';
import { asPayment, type ModificationResult, requirePayment, type TransactionRow } from '../payment/rows.ts';

/**
 * The stored answer of a capture, void or refund, for a repeat of its call. Of the transactions it contains only what
 * may change later, since a payment may have hundreds of them and the answer of each refund lists all. The rest is read
 * from the rows: none is ever deleted, and later ones follow them in the order of the answer.
 */
interface StoredModification extends Omit<ModificationResult, 'transactions'> {
  /** The number of transactions in the answer. */
  transactionCount: number;
  /** Those of them that had not succeeded, as they were then. */
  others: TransactionThen[];
}

type TransactionThen = Pick<TransactionRow, 'id' | 'status' | 'processorReference' | 'failureCode'>;

export function storedModification({ payment, refund, transactions }: ModificationResult): StoredModification {
  const others = transactions.filter(({ status }) => status !== 'succeeded');
  return {
    payment,
    refund,
    transactionCount: transactions.length,
    others: others.map(({ id, status, processorReference, failureCode }) => ({
      id,
      status,
      processorReference,
      failureCode,
    })),
  };
}

/** The answer of an earlier call, as it was then. Stored dates are strings, which the scalars accept too. */
export async function earlierModification(
  { prisma }: Pick<Services, 'prisma'>,
  stored: unknown,
): Promise<ModificationResult> {
  // stored by one of the functions of commit.ts; unknown outcomes store all of it
  const answer = stored as StoredModification | ModificationResult;
  if ('transactions' in answer) return answer;
  const { payment, refund, transactionCount, others } = answer;
  const { transactions } = await requirePayment(prisma, { id: payment.id });
  const othersById = new Map(others.map((other) => [other.id, other]));
  return {
    payment,
    refund,
    transactions: transactions
      .slice(0, transactionCount)
      .map((row) => ({ ...row, status: 'succeeded', failureCode: null, ...othersById.get(row.id) })),
  };
}

/** How a mutation finds the answer of `operation`, a capture or void. */
export function modificationAnswer(operation: string): StoredAnswer {
  return {
    operation,
    answerOf: async (stored, { services }) => asPayment(await earlierModification(services, stored)),
  };
}
