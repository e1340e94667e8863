import { chargingAccount } from '../../auth/standing.ts';
import { loneStatements } from '../../database/lone-statements.ts';
import { identifier, join, type Sql, sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';
import type { Services } from '../../services.ts';
import { claimPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { recordParts } from '../../write/records.ts';
import { commitParts, rowOf } from '../../write/statement.ts';
import type { BlockingRule } from '../block-rules/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { paymentAfterOutcome } from './charge-outcome-rows.ts';
import type { ChargeIntent } from './commit-charge-intent.ts';
import { countCharge } from './count-charge.ts';
import { type AttemptEnd, paymentOutcomeOf } from './payment-outcome.ts';
import { paymentEvent } from './payment-records.ts';
import type { PaymentRow, PaymentWithTransactions } from './payment-rows.ts';

/**
 * Commits a payment that no processor is called for, with its outcome, in one statement. Returns null, and writes
 * nothing, if the idempotency key belongs to an earlier call, the order to another payment, or the account may not
 * charge any more.
 */
export async function commitWithoutProcessor(
  { pool, followers, metrics }: Pick<Services, 'pool' | 'followers' | 'metrics'>,
  { by, recordKey, state: { payment } }: ChargeIntent,
  end: AttemptEnd,
): Promise<PaymentWithTransactions | null> {
  const paymentOutcome = paymentOutcomeOf(end);
  const after = { payment: paymentAfterOutcome(payment, undefined, paymentOutcome, null, by.now), transactions: [] };
  const order = await orderAfterPayment(pool, after.payment);
  const { guards, from } = guardsOf(recordKey, payment, toJson(after), order?.sequenceBefore);
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
  for (const follower of followers.payments) parts.push(...follower.outcomeParts([payment], 'intended'));
  const events = [
    paymentEvent('payment/created', payment),
    paymentEvent(paymentOutcome.event, after.payment),
    ...(order?.events ?? []),
  ];
  parts.push(...recordParts(by, events, [], 'intended'));
  const commit = () => commitParts(pool, parts, 'intended', { brief: true });
  if (!(await loneStatements(pool).run(payment.platformAccountId, commit))) return null;
  countCharge(metrics, after.payment);
  return after;
}

/** Only operators learn which rule it was: to a key, enough such answers would spell out a card. */
function blockedPart(payment: PaymentRow, { id, name, criteria }: BlockingRule): Sql {
  const { id: paymentId, partnerId, platformAccountId, mode, createdAt } = payment;
  const row = { paymentId, partnerId, platformAccountId, mode, blockRuleId: id, ruleName: name, criteria, createdAt };
  return sql`blocked AS (INSERT INTO blocked_charges SELECT r.* FROM intended, ${rowOf('blocked_charges', row)})`;
}

/**
 * The CTEs that must have found a row, in the order of `commit-charge-intent.ts`. `orderSequence` is that of the order
 * when its change was computed.
 */
function guardsOf(
  recordKey: IdempotencyRecordKey | null,
  payment: PaymentRow,
  answer: string,
  orderSequence: number | undefined,
): { guards: Sql[]; from: Sql[] } {
  const guards = [sql`charging AS (${chargingAccount(payment.platformAccountId)})`];
  let last = 'charging';
  if (payment.orderId !== null) {
    guards.push(sql`order_free AS (
      SELECT id
      FROM orders
      WHERE id = ${payment.orderId} AND "paymentId" IS NULL AND status IN ('pending', 'failed')
        AND sequence = coalesce(${orderSequence ?? null}::int, sequence)
        AND EXISTS (SELECT 1 FROM charging)
      FOR NO KEY UPDATE
    )`);
    last = 'order_free';
  }
  if (recordKey) {
    guards.push(sql`claimed AS (${claimPart(recordKey, payment.id, { from: last, answer })})`);
    last = 'claimed';
  }
  return { guards, from: [identifier(last)] };
}
