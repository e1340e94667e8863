import type pg from 'pg';
import { execute, queryRow, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { ModificationOutcome } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { answerRunning, commitParts } from '../../write/statement.ts';
import { orderAfterPayment } from '../orders/public.ts';
import type { ReservedModification } from './commit-modification-intent.ts';
import { modificationEndOf } from './modification-end.ts';
import { type EndedModification, endedParts } from './modification-end-statement.ts';
import type { ModificationResult, RefundRow, TransactionRow } from './payment-rows.ts';
import { lockPayment, transactionOf } from './payment-with-transactions.ts';

/**
 * Commits the outcome of a modification whose intent this call has committed. Unless something else has changed the
 * payment since then, nothing is read and no lock is waited for.
 */
export async function commitReservedEnd(
  { pool, modificationStatements }: Pick<Services, 'pool' | 'modificationStatements'>,
  by: RecordedBy,
  { transaction, refund, state, version }: ReservedModification,
  outcome: ModificationOutcome,
): Promise<ModificationResult> {
  if (version !== null) {
    const ended = await endedOf(pool, by, { ...state, refund }, transaction, outcome);
    if (await modificationStatements.end({ ...ended, version })) return ended.result;
  }
  return commitModificationEnd(pool, by, state.payment.id, transaction.id, outcome);
}

/**
 * Commits the outcome of a modification: payment, transaction, refund, postings, event, and the answer of the call in
 * progress. If the outcome was recorded before, by that call or by a job, nothing is written and the current rows are
 * the answer.
 */
export function commitModificationEnd(
  pool: pg.Pool,
  by: RecordedBy,
  paymentId: string,
  transactionId: string,
  outcome: ModificationOutcome,
): Promise<ModificationResult> {
  return inTransaction(pool, async (client) => {
    const found = await lockPayment(client, paymentId);
    const transaction = transactionOf(found, transactionId);
    const before = { ...found, refund: await refundOf(client, transaction) };
    if (transaction.status !== 'processing') return before;
    const ended = await endedOf(client, by, before, transaction, outcome);
    await commitParts(client, endedParts([ended]), 'resolved');
    return ended.result;
  });
}

async function endedOf(
  database: Parameters<typeof orderAfterPayment>[0],
  by: RecordedBy,
  before: ModificationResult,
  transaction: TransactionRow,
  outcome: ModificationOutcome,
): Promise<EndedModification> {
  const end = modificationEndOf(before.payment, transaction, outcome, by.now);
  const { refund } = before;
  const result: ModificationResult = {
    payment: end.payment,
    transactions: before.transactions.map((other) => (other === transaction ? end.transaction : other)),
    refund: refund && end.refundStatus ? { ...refund, status: end.refundStatus, updatedAt: by.now } : refund,
  };
  const order = end.event ? await orderAfterPayment(database, end.payment) : null;
  return { by, before: before.payment, version: null, end, result, order };
}

/** Stores the current rows as the answer of a call whose outcome is unknown, and returns them. */
export function commitModificationUnknown(
  pool: pg.Pool,
  paymentId: string,
  transactionId: string,
): Promise<ModificationResult> {
  return inTransaction(pool, async (client) => {
    const found = await lockPayment(client, paymentId);
    const transaction = found.transactions.find(({ id }) => id === transactionId);
    const result = { ...found, refund: transaction ? await refundOf(client, transaction) : null };
    await execute(client, answerRunning(result, transactionId));
    return result;
  });
}

async function refundOf(client: pg.ClientBase, transaction: TransactionRow): Promise<RefundRow | null> {
  if (transaction.type !== 'refund') return null;
  const refund = await queryRow<RefundRow>(
    client,
    sql`SELECT * FROM refunds WHERE "transactionId" = ${transaction.id}`,
  );
  return refund ?? null;
}
