import type pg from 'pg';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { sql } from '../../../database/sql.ts';
import { tenantQueue } from '../../../database/tenant-queue.ts';
import { newId } from '../../../lib/ids.ts';
import type { ProcessorConnection } from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import { assign, commitParts, recordOf } from '../../../unit-of-work/statement.ts';
import { findUsableProcessor, openConnection } from '../../processors/public.ts';
import { purgeCvc } from '../payment/processor.ts';
import { hasTransaction, type PaymentWithTransactions, type TransactionRow } from '../payment/rows.ts';
import { closedColumns } from './commit-outcome.ts';
import { type AttemptEnd, mayTryAnother, transactionAfterOutcome } from './outcome.ts';

/** A charge at its next processor, before that is called. */
export interface NextAttempt {
  state: PaymentWithTransactions;
  connection: ProcessorConnection;
}

/**
 * Continues with the next processor of the charge's route that is usable now. One statement closes the attempt that
 * ended and opens the next one before its processor is called. So no second attempt starts while an earlier one may
 * have taken money, and after a crash the job knows which attempt to ask about. Returns null if the charge ends here,
 * or if another process has continued it.
 */
export async function nextAttempt(
  services: Services,
  before: PaymentWithTransactions,
  end: AttemptEnd,
  cardId: string,
): Promise<NextAttempt | null> {
  const { payment, transactions } = before;
  const ended = transactions.at(-1);
  if (payment.cascade === null || !ended || !mayTryAnother(end)) return null;
  const ids = payment.cascade as string[]; // always written as an array of ids
  const next = await withOutageRetry({ run: () => findUsableProcessor(services, ids, payment.currency) });
  if (!next) {
    await purgeCvc(services, cardId);
    return null;
  }
  const now = services.clock.now();
  const rest = ids.slice(ids.indexOf(next.id) + 1);
  const createdAt = new Date(Math.max(now.getTime(), ended.createdAt.getTime() + 1));
  const attempt: TransactionRow = {
    ...ended,
    id: newId('txn_', now),
    status: 'processing',
    processorId: next.id,
    processorType: next.type,
    processorReference: null,
    failureCode: null,
    askedAt: services.clock.real(),
    createdAt,
    updatedAt: now,
  };
  const closed = transactionAfterOutcome(ended, end, now);
  const state = {
    payment: { ...payment, processorId: next.id, cascade: rest.length > 0 ? rest : null, updatedAt: now },
    transactions: [...transactions.slice(0, -1), closed, attempt],
  };
  const isWritten = await withOutageRetry<boolean>({
    run: () => commitNextAttempt(services.pool, before, state, closed, attempt),
    done: () => hasTransaction(services.pool, attempt.id),
  });
  if (!isWritten) return null;
  return { state, connection: openConnection(services.config, next) };
}

/**
 * The payment's processor identifies its attempt, since a charge calls no processor twice. So the condition lets one of
 * several concurrent callers continue, and none once the charge has ended.
 */
function commitNextAttempt(
  pool: pg.Pool,
  before: PaymentWithTransactions,
  { payment }: PaymentWithTransactions,
  closed: TransactionRow,
  attempt: TransactionRow,
): Promise<boolean> {
  const parts = [
    sql`moved AS (
      UPDATE payments t
      SET ${assign(['processorId', 'cascade', 'updatedAt'])}
      FROM ${recordOf('payments', payment)}
      WHERE t.id = r.id AND t.status = 'pending' AND t."subStatus" = 'processing' AND t.sequence = r.sequence
        AND t."processorId" = ${before.payment.processorId}
      RETURNING t.id
    )`,
    sql`closed AS (
      UPDATE transactions t
      SET ${assign(closedColumns)}
      FROM moved, ${recordOf('transactions', closed)}
      WHERE t.id = r.id
    )`,
    sql`attempted AS (INSERT INTO transactions SELECT r.* FROM moved, ${recordOf('transactions', attempt)})`,
  ];
  return tenantQueue(pool).runWaiting(payment.platformAccountId, () =>
    commitParts(pool, parts, 'moved', { brief: true }),
  );
}
