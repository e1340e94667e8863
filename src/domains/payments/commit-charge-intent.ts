import type pg from 'pg';
import { chargingAccount } from '../../auth/standing.ts';
import { empty, identifier, join, type Sql, sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';
import { claimPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { commitParts, rowOf } from '../../write/statement.ts';
import type { BlockingRule } from '../block-rules/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { paymentAfterOutcome } from './charge-outcome-rows.ts';
import type { ChargeServices } from './commit-charge-outcome.ts';
import { type AttemptEnd, paymentOutcomeOf } from './payment-outcome.ts';
import { paymentEvent } from './payment-records.ts';
import type { PaymentRow, PaymentWithTransactions } from './payment-rows.ts';

/*
 * A charge has a call to a processor in its middle, so it commits twice: its intent before the call, its outcome after
 * it. Each is one statement made of the same CTEs as `write/write.ts`, so that each commits whole or not at all.
 */

/**
 * Commits a payment and its first attempt before the processor is called, and reserves the order that it pays. Returns
 * false, and writes nothing, if the idempotency key belongs to an earlier call, the order to another payment, or the
 * account may not charge any more. So no charge begins once the change of a status is committed, and one that has begun
 * is completed.
 */
export function commitIntent(
  pool: pg.Pool,
  by: RecordedBy,
  recordKey: IdempotencyRecordKey | null,
  { payment, transactions }: PaymentWithTransactions,
): Promise<boolean> {
  const { guards, from } = intentGuards(recordKey, payment);
  const parts = [
    ...guards,
    sql`intended AS (
      INSERT INTO payments
      SELECT r.*
      FROM ${join([...from, rowOf('payments', payment)], ', ')}
      RETURNING id
    )`,
  ];
  if (payment.orderId !== null)
    parts.push(sql`order_held AS (
      UPDATE orders
      SET "paymentId" = intended.id
      FROM intended
      WHERE orders.id = ${payment.orderId}
    )`);
  const [attempt] = transactions;
  if (attempt)
    parts.push(
      sql`attempted AS (INSERT INTO transactions SELECT r.* FROM intended, ${rowOf('transactions', attempt)})`,
    );
  parts.push(...recordParts(by, [paymentEvent('payment/created', payment)], [], 'intended'));
  return commitParts(pool, parts, 'intended');
}

/**
 * Commits a payment that no processor is called for, with its outcome, in one statement. Returns null where
 * `commitIntent` returns false.
 */
export async function commitWithoutProcessor(
  { pool, followers }: ChargeServices,
  by: RecordedBy,
  recordKey: IdempotencyRecordKey | null,
  { payment }: PaymentWithTransactions,
  end: AttemptEnd,
): Promise<PaymentWithTransactions | null> {
  const paymentOutcome = paymentOutcomeOf(end);
  const after = { payment: paymentAfterOutcome(payment, undefined, paymentOutcome, null, by.now), transactions: [] };
  const order = await orderAfterPayment(pool, after.payment);
  const { guards, from } = intentGuards(recordKey, payment, {
    answer: toJson(after),
    orderSequence: order?.sequenceBefore,
  });
  const parts = [
    ...guards,
    sql`intended AS (
      INSERT INTO payments
      SELECT r.*
      FROM ${join([...from, rowOf('payments', after.payment)], ', ')}
      RETURNING id
    )`,
  ];
  if (end.result === 'blocked') parts.push(blockedPart(after.payment, end.rule));
  if (order) parts.push(orderPart(order, 'intended'));
  for (const follower of followers.payments) parts.push(...follower.outcomeParts(payment, 'intended'));
  const events = [
    paymentEvent('payment/created', payment),
    paymentEvent(paymentOutcome.event, after.payment),
    ...(order?.events ?? []),
  ];
  parts.push(...recordParts(by, events, [], 'intended'));
  return (await commitParts(pool, parts, 'intended')) ? after : null;
}

/** Only operators learn which rule it was: to a key, enough such answers would spell out a card. */
function blockedPart(payment: PaymentRow, { id, name, criteria }: BlockingRule): Sql {
  const { id: paymentId, partnerId, platformAccountId, mode, createdAt } = payment;
  const row = { paymentId, partnerId, platformAccountId, mode, blockRuleId: id, ruleName: name, criteria, createdAt };
  return sql`blocked AS (INSERT INTO blocked_charges SELECT r.* FROM intended, ${rowOf('blocked_charges', row)})`;
}

/**
 * The CTEs that must have found a row before a payment is written: its account, which may charge, its order, locked and
 * free, and then the idempotency key. The key is claimed last, since a key claimed for a payment that is not written
 * would never get an answer. `orderSequence` is that of the order when its change was computed.
 */
function intentGuards(
  recordKey: IdempotencyRecordKey | null,
  payment: PaymentRow,
  { answer, orderSequence }: { answer?: string; orderSequence?: number | undefined } = {},
): { guards: Sql[]; from: Sql[] } {
  const guards = [sql`charging AS (${chargingAccount(payment.platformAccountId)})`];
  let last = 'charging';
  if (payment.orderId !== null) {
    guards.push(sql`order_free AS (
      SELECT id
      FROM orders
      WHERE id = ${payment.orderId} AND "paymentId" IS NULL AND status IN ('pending', 'failed')
        ${orderSequence === undefined ? empty : sql`AND sequence = ${orderSequence}`}
        AND EXISTS (SELECT 1 FROM charging)
      FOR NO KEY UPDATE
    )`);
    last = 'order_free';
  }
  if (recordKey) {
    guards.push(
      sql`claimed AS (${claimPart(recordKey, payment.id, { from: last, ...(answer !== undefined && { answer }) })})`,
    );
    last = 'claimed';
  }
  return { guards, from: [identifier(last)] };
}
