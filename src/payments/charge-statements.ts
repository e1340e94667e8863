import type pg from 'pg';
import { claimPart, type IdempotencyScope } from '../kit/idempotency.ts';
import { newId } from '../kit/ids.ts';
import { recordParts, type RecordedBy, toJson } from '../kit/records.ts';
import { postingPart } from '../ledger/operations.ts';
import { orderAfterPayment, orderPart } from '../orders/operations.ts';
import { subscriptionDuePart } from '../subscriptions/operations.ts';
import {
  type AttemptEnd,
  chargeSettlementOf,
  type FailureCode,
  mayFollow,
  type Settlement,
  settlementOf,
} from './lifecycle.ts';
import { movementOf, paymentEvent } from './payment-records.ts';
import { answerRunning, assign, statement } from './statement.ts';
import type { ChallengeRow, PaymentRow, PaymentWithTransactions, TransactionRow } from './types.ts';

/*
 * The write path of a charge, which has a processor in its middle: what is intended is committed before the processor is asked,
 * what came of it after. One statement each, made of the same parts as `kit/write.ts`, so that each commits whole or not at all.
 */

/** Commits a payment and its first attempt, and takes the order it pays. False when the Idempotency-Key belongs to an earlier call, or the order to another payment: then nothing is written. */
export function commitIntent(
  pool: pg.Pool,
  by: RecordedBy,
  scope: IdempotencyScope | null,
  { payment, transactions }: PaymentWithTransactions,
): Promise<boolean> {
  const { parts, bind, row, commit } = statement();
  const guards = intentGuards(parts, bind, scope, payment);
  parts.push(`intended AS (INSERT INTO payments SELECT r.* FROM ${guards}${row('payments', payment)} RETURNING id)`);
  if (payment.orderId !== null)
    parts.push(
      `order_held AS (UPDATE orders SET "paymentId" = intended.id FROM intended WHERE orders.id = ${bind(payment.orderId)})`,
    );
  const [attempt] = transactions;
  if (attempt)
    parts.push(`attempted AS (INSERT INTO transactions SELECT r.* FROM intended, ${row('transactions', attempt)})`);
  parts.push(...recordParts(by, [paymentEvent('payment/created', payment)], [], bind, 'intended'));
  return commit(pool, 'intended');
}

/**
 * What must be had before a payment is written, as a list of parts to select from: its order, locked and free, and then the key.
 * `orderSequence` says how it was when its change was worked out. In this order, since a key claimed for a payment that is not written would wait for an answer for ever.
 */
function intentGuards(
  parts: string[],
  bind: (value: unknown) => string,
  scope: IdempotencyScope | null,
  payment: PaymentRow,
  { answer, orderSequence }: { answer?: string; orderSequence?: number | undefined } = {},
): string {
  const guards: string[] = [];
  if (payment.orderId !== null) {
    parts.push(
      `order_free AS (SELECT id FROM orders WHERE id = ${bind(payment.orderId)} AND "paymentId" IS NULL AND status IN ('pending', 'failed')${orderSequence === undefined ? '' : ` AND sequence = ${bind(orderSequence)}`} FOR NO KEY UPDATE)`,
    );
    guards.push('order_free');
  }
  if (scope) {
    parts.push(
      `claimed AS (${claimPart(scope, payment.id, bind, { ...(payment.orderId !== null && { from: 'order_free' }), ...(answer !== undefined && { answer }) })})`,
    );
    guards.push('claimed');
  }
  return guards.map((guard) => `${guard}, `).join('');
}

/** Commits a payment that nobody is asked for, and its end, in one: between the two there is nothing to wait for. Null as above. */
export async function commitWithoutProcessor(
  pool: pg.Pool,
  by: RecordedBy,
  scope: IdempotencyScope | null,
  { payment }: PaymentWithTransactions,
  end: AttemptEnd,
): Promise<PaymentWithTransactions | null> {
  const settlement = settlementOf(end);
  const after = { payment: settledPayment(payment, undefined, settlement, null, by.now), transactions: [] };
  const order = await orderAfterPayment(pool, after.payment);
  const { parts, bind, row, commit } = statement();
  const guards = intentGuards(parts, bind, scope, payment, {
    answer: toJson(after),
    orderSequence: order?.sequenceBefore,
  });
  parts.push(
    `intended AS (INSERT INTO payments SELECT r.* FROM ${guards}${row('payments', after.payment)} RETURNING id)`,
  );
  if (order) parts.push(orderPart(order, row, 'intended'));
  if (payment.subscriptionPeriod !== null) parts.push(subscriptionDuePart(payment, bind, 'intended'));
  parts.push(
    ...recordParts(
      by,
      [
        paymentEvent('payment/created', payment),
        paymentEvent(settlement.event, after.payment),
        ...(order?.events ?? []),
      ],
      [],
      bind,
      'intended',
    ),
  );
  return (await commit(pool, 'intended')) ? after : null;
}

/**
 * Takes a challenged payment back into processing, which only one call can. The key of that call is claimed with it, and the
 * payment is locked before: a key claimed for a payment that another call moves would wait for an answer for ever.
 */
export function commitContinuation(
  pool: pg.Pool,
  by: RecordedBy,
  scope: IdempotencyScope | null,
  payment: PaymentRow,
  attempt: TransactionRow,
  askedAt: Date,
): Promise<boolean> {
  const { parts, bind, commit } = statement();
  parts.push(
    `found AS (SELECT id FROM payments WHERE id = ${bind(payment.id)} AND status = 'pending' AND "subStatus" = 'requires_action' FOR NO KEY UPDATE)`,
  );
  if (scope) parts.push(`claimed AS (${claimPart(scope, payment.id, bind, { from: 'found' })})`);
  parts.push(`moved AS (UPDATE payments SET "subStatus" = 'processing', "requireAction" = NULL, "requireActionData" = NULL, "updatedAt" = ${bind(by.now)}
WHERE id = ${bind(payment.id)} AND EXISTS (SELECT 1 FROM ${scope ? 'claimed' : 'found'}) RETURNING id)`);
  parts.push(
    `asked AS (UPDATE transactions SET status = 'processing', "askedAt" = ${bind(askedAt)}, "updatedAt" = ${bind(by.now)} WHERE id = ${bind(attempt.id)} AND EXISTS (SELECT 1 FROM moved))`,
  );
  return commit(pool, 'moved');
}

export interface SettlementDetails {
  by: RecordedBy;
  /** Where the cardholder answers a challenge, by its id. */
  challengeUrl(sessionId: string): string;
  /** Whether a call waits for this payment's answer under an Idempotency-Key. */
  answers: boolean;
}

const challengeLifeMs = 30 * 60_000;
/** How long a processor holds money that nobody captures (contract 10). */
const authorizationLifeMs = 7 * 24 * 60 * 60_000;

/**
 * Commits what became of an attempt: the payment's and the transaction's state, the challenge if there is one, the event, and
 * the answer of the call that began it. Null when somebody else settled the payment first, or went on to another processor: then
 * nothing is written.
 */
export async function commitSettlement(
  pool: pg.Pool,
  before: PaymentWithTransactions,
  end: AttemptEnd,
  details: SettlementDetails,
): Promise<PaymentWithTransactions | null> {
  const { by, answers } = details;
  const attempt = before.transactions.at(-1);
  const earlier = before.transactions.findLast(({ status }) => status === 'declined');
  const settlement = chargeSettlementOf(
    end,
    attempt?.type === 'authorization' ? 'authorization' : 'purchase',
    (earlier?.failureCode ?? null) as FailureCode | null,
  ); // a CHECK constraint holds the column to the codes
  const deciding = settlement.status === 'declined' && end.result === 'error' ? earlier : attempt;
  // A worker may have read the payment after the call it came to help had settled it: held money is not held a second time.
  if (!mayFollow(before.payment, settlement)) return null;
  const challenge =
    end.result === 'challenge' && attempt ? challengeFor(before.payment, attempt, end.url, by.now) : null;
  const payment = settledPayment(
    before.payment,
    deciding,
    settlement,
    challenge && { row: challenge, url: challenge.url ?? details.challengeUrl(challenge.id) },
    by.now,
  );
  const transaction = attempt && settledTransaction(attempt, end, by.now);
  const after = { payment, transactions: transaction ? [...before.transactions.slice(0, -1), transaction] : [] };

  const order = await orderAfterPayment(pool, payment);

  const { parts, bind, row, commit } = statement();
  parts.push(`settled AS (UPDATE payments t SET ${assign(settledColumns)} FROM ${row('payments', payment)}
WHERE t.id = r.id AND t.status = 'pending' AND t."subStatus" = ${bind(before.payment.subStatus)} AND t.sequence = r.sequence - 1 AND t."processorId" IS NOT DISTINCT FROM ${bind(before.payment.processorId)} RETURNING t.id)`);
  if (transaction)
    parts.push(
      `closed AS (UPDATE transactions t SET ${assign(closedColumns)} FROM settled, ${row('transactions', transaction)} WHERE t.id = r.id)`,
    );
  if (challenge)
    parts.push(
      `challenged AS (INSERT INTO threeds_sessions SELECT r.* FROM settled, ${row('threeds_sessions', challenge)})`,
    );
  if (settlement.captured && transaction)
    parts.push(postingPart([movementOf('capture', payment, transaction)], by.now, bind, 'settled'));
  if (order) parts.push(orderPart(order, row, 'settled'));
  if (payment.subscriptionPeriod !== null) parts.push(subscriptionDuePart(payment, bind, 'settled'));
  parts.push(
    ...recordParts(by, [paymentEvent(settlement.event, payment), ...(order?.events ?? [])], [], bind, 'settled'),
  );
  if (answers)
    parts.push(
      `answered AS (${answerRunning(bind(toJson(after)), bind(payment.id))} AND EXISTS (SELECT 1 FROM settled))`,
    );
  return (await commit(pool, 'settled')) ? after : null;
}

/** Commits that the outcome is not known: the payment stays in processing, and the call that began it answers so. */
export async function commitUnknown(pool: pg.Pool, state: PaymentWithTransactions): Promise<void> {
  const values = [toJson(state), state.payment.id];
  // What is settled by now keeps the answer that tells of it.
  await pool.query({ name: 'commit-unknown', text: answerRunning('$1', '$2'), values });
}

/** Stores the answer of a call that changed nothing. False when its key belongs to an earlier call. */
export async function commitUnchanged(
  pool: pg.Pool,
  scope: IdempotencyScope,
  state: PaymentWithTransactions,
): Promise<boolean> {
  const { parts, bind, commit } = statement();
  parts.push(`claimed AS (${claimPart(scope, state.payment.id, bind, { answer: toJson(state) })})`);
  return commit(pool, 'claimed');
}

const settledColumns = [
  'status',
  'subStatus',
  'failureCode',
  'failureMessage',
  'capturedAmount',
  'requireAction',
  'requireActionData',
  'actionExpiresAt',
  'authorizationExpiresAt',
  'processorId',
  'cascade',
  'sequence',
  'updatedAt',
];
export const closedColumns = ['status', 'processorReference', 'failureCode', 'updatedAt'];

function challengeFor(payment: PaymentRow, attempt: TransactionRow, url: string | null, now: Date): ChallengeRow {
  const { partnerId, platformAccountId, mode, returnUrl } = payment;
  const expiresAt = new Date(now.getTime() + challengeLifeMs);
  return {
    id: newId('threeDsSession', now),
    paymentId: payment.id,
    transactionId: attempt.id,
    partnerId,
    platformAccountId,
    mode,
    status: 'pending',
    returnUrl,
    url,
    expiresAt,
    answeredAt: null,
    createdAt: now,
  };
}

function settledPayment(
  payment: PaymentRow,
  attempt: TransactionRow | undefined,
  settlement: Settlement,
  challenge: { row: ChallengeRow; url: string } | null,
  now: Date,
): PaymentRow {
  const { status, subStatus, failureCode, failureMessage } = settlement;
  return {
    ...payment,
    status,
    subStatus,
    failureCode,
    failureMessage,
    capturedAmount: settlement.captured ? payment.amount : 0,
    requireAction: challenge ? 'threeds_auth' : null,
    requireActionData: challenge
      ? {
          type: 'redirect',
          url: challenge.url,
          threedsSessionId: challenge.row.id,
          expiresAt: challenge.row.expiresAt.toISOString(),
        }
      : null,
    actionExpiresAt: challenge ? challenge.row.expiresAt : null,
    authorizationExpiresAt:
      settlement.subStatus === 'authorized' ? new Date(now.getTime() + authorizationLifeMs) : null,
    processorId: attempt?.processorId ?? null,
    cascade: null,
    sequence: payment.sequence + 1,
    updatedAt: now,
  };
}

/** What became of one attempt. */
export function settledTransaction(attempt: TransactionRow, end: AttemptEnd, now: Date): TransactionRow {
  const settlement = settlementOf(end);
  const processorReference = 'processorReference' in end ? end.processorReference : attempt.processorReference;
  return {
    ...attempt,
    status: settlement.transactionStatus,
    processorReference,
    failureCode: settlement.failureCode,
    updatedAt: now,
  };
}
