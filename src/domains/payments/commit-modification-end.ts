import type pg from 'pg';
import { execute, queryRow, sql } from '../../database/sql.ts';
import { inLoneTransaction } from '../../database/transaction.ts';
import type { ModificationOutcome } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { answerRunning, commitParts } from '../../write/statement.ts';
import { orderAfterPayment } from '../orders/public.ts';
import { type EndedModification, endedParts } from './modification-end-statement.ts';
import { endedOf } from './modification-ender.ts';
import type { ReservedModification } from './modification-reserver.ts';
import type { ModificationResult, PaymentOfAccount, RefundRow, TransactionRow } from './payment-rows.ts';
import { lockPayment, transactionOf } from './payment-with-transactions.ts';

/**
 * Commits the outcome of a modification whose intent this call has committed. Unless another process has changed the
 * payment since then, nothing is read and no lock is waited for. Returns null, and writes nothing, if the outcome was
 * recorded before.
 */
export async function commitReservedEnd(
  { pool, modificationStatements }: Pick<Services, 'pool' | 'modificationStatements'>,
  by: RecordedBy,
  { transaction, refund, state, version }: ReservedModification,
  outcome: ModificationOutcome,
): Promise<ModificationResult | null> {
  const { id: transactionId } = transaction;
  if (version !== null) {
    const { order } =
      state.payment.orderId === null
        ? { order: null }
        : await withOrder(pool, endedOf(by, { ...state, refund }, transactionId, outcome));
    const reserved = { state, version };
    const result = await modificationStatements.end({ by, transactionId, refund, outcome, reserved, order });
    if (result) return result;
  }
  const { result, isRecorded } = await endUnderLock(pool, by, state.payment, transactionId, outcome);
  return isRecorded ? null : result;
}

/**
 * Commits the outcome of a modification: payment, transaction, refund, postings, event, and the answer of the call in
 * progress. If the outcome was recorded before, by that call or by a job, nothing is written and the current rows are
 * the answer.
 */
export async function commitModificationEnd(...ended: Parameters<typeof endUnderLock>): Promise<ModificationResult> {
  return (await endUnderLock(...ended)).result;
}

function endUnderLock(
  pool: pg.Pool,
  by: RecordedBy,
  { id, platformAccountId }: PaymentOfAccount,
  transactionId: string,
  outcome: ModificationOutcome,
): Promise<{ result: ModificationResult; isRecorded: boolean }> {
  return inLoneTransaction(pool, platformAccountId, async (client) => {
    const found = await lockPayment(client, id);
    const transaction = transactionOf(found, transactionId);
    const before = { ...found, refund: await refundOf(client, transaction) };
    if (transaction.status !== 'processing') return { result: before, isRecorded: true };
    const ended = await withOrder(client, endedOf(by, before, transactionId, outcome));
    const { result } = ended;
    await commitParts(client, endedParts([{ version: null, payment: result.payment, ends: [ended] }]), 'resolved');
    return { result, isRecorded: false };
  });
}

async function withOrder(
  database: Parameters<typeof orderAfterPayment>[0],
  ended: EndedModification,
): Promise<EndedModification> {
  const { event, payment } = ended.end;
  return event ? { ...ended, order: await orderAfterPayment(database, payment) } : ended;
}

/** Stores the current rows as the answer of a call whose outcome is unknown, and returns them. */
export function commitModificationUnknown(
  pool: pg.Pool,
  { id: paymentId, platformAccountId }: PaymentOfAccount,
  transactionId: string,
): Promise<ModificationResult> {
  return inLoneTransaction(pool, platformAccountId, async (client) => {
    const found = await lockPayment(client, paymentId);
    const transaction = found.transactions.find((one) => one.id === transactionId);
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
