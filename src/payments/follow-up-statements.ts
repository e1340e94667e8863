import type pg from 'pg';
import type { BlockRule } from '../generated/prisma/client.ts';
import { claimPart, type IdempotencyScope } from '../kit/idempotency.ts';
import { recordParts, type RecordedBy, toJson } from '../kit/records.ts';
import { inTransaction } from '../kit/transaction.ts';
import { postingPart } from '../ledger/operations.ts';
import { orderAfterPayment, orderPart } from '../orders/operations.ts';
import { subscriptionCancelPart } from '../subscriptions/operations.ts';
import type { FollowUpOutcome } from '../ports/card-processor.ts';
import { followUpEnd } from './follow-up-end.ts';
import { movementOf, paymentEvent } from './payment-records.ts';
import { noSuchPayment } from './operations.ts';
import { answerRunning, assign, statement } from './statement.ts';
import type { FollowUpResult, PaymentRow, PaymentWithTransactions, RefundRow, TransactionRow } from './types.ts';

type Client = pg.ClientBase;
type Bind = (value: unknown) => string;

/** What a follow-up begins with: its transaction, whose id is the processor's idempotency key, and what it holds of the payment. */
export interface FollowUpIntent {
  payment: PaymentRow;
  transaction: TransactionRow;
  refund: RefundRow | null;
  /** Written beside it, where the call asks for one. */
  blockRule: BlockRule | null;
  /** Canceled beside it, where the call asks for it. */
  cancelsSubscription: string | null;
}

/**
 * Commits the intent of a capture, void or refund before the processor is asked. Under the payment's lock, so that of many at
 * once each sees what the one before it has taken. `decide` refuses by throwing: then nothing is written, the key is free again.
 * Null when the Idempotency-Key belongs to an earlier call.
 */
export function commitFollowUpIntent(
  pool: pg.Pool,
  { scope, tenant }: { scope: IdempotencyScope | null; tenant: (bind: Bind) => string },
  paymentId: string,
  transactionId: string,
  decide: (before: PaymentWithTransactions) => FollowUpIntent,
): Promise<PaymentWithTransactions | null> {
  return inTransaction(pool, async (client) => {
    if (scope && !(await claimed(client, scope, transactionId))) return null;
    const before = await lockPayment(client, paymentId, tenant);
    const intent = decide(before);
    const { parts, bind, row, commit } = statement();
    parts.push(
      `reserved AS (UPDATE payments t SET ${assign(['status', 'subStatus', 'reservedAmount', 'updatedAt'])} FROM ${row('payments', intent.payment)} WHERE t.id = r.id RETURNING t.id)`,
    );
    parts.push(
      `begun AS (INSERT INTO transactions SELECT r.* FROM reserved, ${row('transactions', intent.transaction)})`,
    );
    if (intent.refund)
      parts.push(`refunding AS (INSERT INTO refunds SELECT r.* FROM reserved, ${row('refunds', intent.refund)})`);
    if (intent.blockRule)
      parts.push(
        `blocked AS (INSERT INTO block_rules SELECT r.* FROM reserved, ${row('block_rules', intent.blockRule)})`,
      );
    if (intent.cancelsSubscription !== null)
      parts.push(subscriptionCancelPart(intent.cancelsSubscription, intent.payment.updatedAt, bind, 'reserved'));
    await commit(client, 'reserved');
    return { payment: intent.payment, transactions: [...before.transactions, intent.transaction] };
  });
}

/**
 * Commits what became of it: payment, transaction, refund, postings, event, and the answer of the call that began it. When it
 * was settled before, by that call or by a worker, nothing is written, and what is there now is the answer.
 */
export function commitFollowUpEnd(
  pool: pg.Pool,
  by: RecordedBy,
  paymentId: string,
  transactionId: string,
  outcome: FollowUpOutcome,
): Promise<FollowUpResult> {
  return inTransaction(pool, async (client) => {
    const before = await lockPayment(client, paymentId, () => 'true');
    const transaction = before.transactions.find(({ id }) => id === transactionId);
    if (!transaction) throw new Error(`Payment ${paymentId} has no transaction ${transactionId}.`);
    const refund = await refundOf(client, transaction);
    if (transaction.status !== 'processing') return { ...before, refund };

    const end = followUpEnd(before.payment, transaction, outcome, by.now);
    const result: FollowUpResult = {
      payment: end.payment,
      transactions: before.transactions.map((other) => (other === transaction ? end.transaction : other)),
      refund: refund && end.refundStatus ? { ...refund, status: end.refundStatus, updatedAt: by.now } : refund,
    };
    const { parts, bind, row, commit } = statement();
    parts.push(
      `settled AS (UPDATE payments t SET ${assign(settledColumns)} FROM ${row('payments', end.payment)} WHERE t.id = r.id RETURNING t.id)`,
    );
    parts.push(
      `closed AS (UPDATE transactions t SET ${assign(closedColumns)} FROM ${row('transactions', end.transaction)} WHERE t.id = r.id)`,
    );
    if (result.refund)
      parts.push(
        `refunded AS (UPDATE refunds t SET ${assign(['status', 'updatedAt'])} FROM ${row('refunds', result.refund)} WHERE t.id = r.id)`,
      );
    if (end.movement)
      parts.push(postingPart([movementOf(end.movement, end.payment, end.transaction)], by.now, bind, 'settled'));
    const order = end.event ? await orderAfterPayment(client, end.payment) : null;
    if (order) parts.push(orderPart(order, row, 'settled'));
    parts.push(
      ...recordParts(
        by,
        end.event ? [paymentEvent(end.event, end.payment), ...(order?.events ?? [])] : [],
        [],
        bind,
        'settled',
      ),
    );
    parts.push(`answered AS (${answerRunning(bind(toJson(result)), bind(transactionId))})`);
    await commit(client, 'settled');
    return result;
  });
}

/** Commits that the outcome is not known yet, and gives what is known as the answer of the call. */
export function commitFollowUpUnknown(
  pool: pg.Pool,
  paymentId: string,
  transactionId: string,
): Promise<FollowUpResult> {
  return inTransaction(pool, async (client) => {
    const found = await lockPayment(client, paymentId, () => 'true');
    const transaction = found.transactions.find(({ id }) => id === transactionId);
    const result = { ...found, refund: transaction ? await refundOf(client, transaction) : null };
    await client.query({
      name: 'commit-follow-up-unknown',
      text: answerRunning('$1', '$2'),
      values: [toJson(result), transactionId],
    });
    return result;
  });
}

const settledColumns = [
  'status',
  'subStatus',
  'capturedAmount',
  'refundedAmount',
  'reservedAmount',
  'authorizationExpiresAt',
  'voidedAt',
  'failureMessage',
  'sequence',
  'updatedAt',
];
const closedColumns = ['status', 'processorReference', 'failureCode', 'updatedAt'];

async function claimed(client: Client, scope: IdempotencyScope, subjectId: string): Promise<boolean> {
  const values: unknown[] = [];
  const text = claimPart(scope, subjectId, (value) => `$${values.push(value)}`);
  const { rowCount } = await client.query({ name: 'claim-call', text, values });
  return rowCount === 1;
}

/** The payment, locked until the transaction ends, with its transactions as they are then. */
export async function lockPayment(
  client: Client,
  paymentId: string,
  tenant: (bind: Bind) => string,
): Promise<PaymentWithTransactions> {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { rows } = await client.query<PaymentRow>(
    `SELECT t.* FROM payments t WHERE t.id = ${bind(paymentId)} AND ${tenant(bind)} FOR NO KEY UPDATE`,
    values,
  );
  const [payment] = rows;
  if (!payment) throw noSuchPayment();
  const transactions = await client.query<TransactionRow>({
    name: 'transactions-of-payment',
    text: 'SELECT * FROM transactions WHERE "paymentId" = $1 ORDER BY "createdAt", id',
    values: [paymentId],
  });
  return { payment, transactions: transactions.rows };
}

async function refundOf(client: Client, transaction: TransactionRow): Promise<RefundRow | null> {
  if (transaction.type !== 'refund') return null;
  const { rows } = await client.query<RefundRow>({
    name: 'refund-of-transaction',
    text: 'SELECT * FROM refunds WHERE "transactionId" = $1',
    values: [transaction.id],
  });
  return rows[0] ?? null;
}
