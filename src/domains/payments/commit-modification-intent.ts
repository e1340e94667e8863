import type pg from 'pg';
import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { execute, type Sql, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Services } from '../../services.ts';
import { claimPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { assign, commitParts, rowOf } from '../../write/statement.ts';
import type { Modification, ModificationIntent } from './modification-intent.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { lockPayment } from './payment-with-transactions.ts';

/**
 * Commits the intent of a capture, void or refund before the processor is called, under the payment's lock, so that of
 * several at the same time each sees what the one before it has reserved. If `decide` throws, nothing is written and
 * the idempotency key is free again. Returns null if the idempotency key belongs to an earlier call.
 */
export function commitModificationIntent(
  { pool, followers }: Pick<Services, 'pool' | 'followers'>,
  {
    recordKey,
    tenant,
    records,
  }: {
    recordKey: IdempotencyRecordKey | null;
    tenant: Sql;
    /** The CTEs of the records of the change; they follow `reserved`. */
    records?: (before: PaymentWithTransactions, intent: ModificationIntent) => Sql[];
  },
  { paymentId, takesMoney }: Pick<Modification, 'paymentId' | 'takesMoney'>,
  transactionId: string,
  decide: (before: PaymentWithTransactions) => ModificationIntent,
): Promise<PaymentWithTransactions | null> {
  return inTransaction(pool, async (client) => {
    if (recordKey && !(await claimed(client, recordKey, transactionId))) return null;
    const before = await lockPayment(client, paymentId, tenant);
    if (takesMoney) assertMayCharge(await standingOf(client, before.payment.platformAccountId));
    const intent = decide(before);
    const { payment, transaction, refund, blockRule, cancelsSubscription } = intent;
    const parts = [
      sql`reserved AS (
        UPDATE payments t
        SET ${assign(['status', 'subStatus', 'reservedAmount', 'updatedAt'])}
        FROM ${rowOf('payments', payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`begun AS (INSERT INTO transactions SELECT r.* FROM reserved, ${rowOf('transactions', transaction)})`,
    ];
    if (refund)
      parts.push(sql`refunding AS (INSERT INTO refunds SELECT r.* FROM reserved, ${rowOf('refunds', refund)})`);
    if (blockRule)
      parts.push(
        sql`blocked AS (INSERT INTO block_rules SELECT r.* FROM reserved, ${rowOf('block_rules', blockRule)})`,
      );
    if (cancelsSubscription !== null)
      for (const follower of followers.payments)
        parts.push(...follower.cancelParts(cancelsSubscription, payment.updatedAt, 'reserved'));
    if (records) parts.push(...records(before, intent));
    await commitParts(client, parts, 'reserved');
    return { payment: intent.payment, transactions: [...before.transactions, intent.transaction] };
  });
}

async function claimed(client: pg.ClientBase, recordKey: IdempotencyRecordKey, subjectId: string): Promise<boolean> {
  return (await execute(client, claimPart(recordKey, subjectId))) === 1;
}
