import { sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { answerRunning, assign, commitParts, rowOf } from '../../write/statement.ts';
import { postingPart } from '../ledger/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { challengeFor, closedColumns, paymentAfterOutcome, transactionAfterOutcome } from './charge-outcome-rows.ts';
import type { FailureCode } from './lifecycle.ts';
import { type AttemptEnd, chargeOutcomeOf, mayFollow } from './payment-outcome.ts';
import { journalEntryOf, paymentEvent } from './payment-records.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';

/** What a statement of a charge needs of the services. */
export type ChargeServices = Pick<Services, 'pool' | 'followers'>;

export interface OutcomeDetails {
  by: RecordedBy;
  /** The address at which the cardholder answers the challenge with this id. */
  challengeUrl(sessionId: string): string;
  /** Whether a call with an idempotency key is waiting for the answer. */
  answers: boolean;
}

/**
 * Commits the outcome of an attempt: the states of payment and transaction, the challenge if there is one, the event,
 * and the answer of the call in progress. Returns null, and writes nothing, if another process has recorded an outcome
 * or continued with another processor.
 */
export async function commitOutcome(
  { pool, followers }: ChargeServices,
  before: PaymentWithTransactions,
  end: AttemptEnd,
  details: OutcomeDetails,
): Promise<PaymentWithTransactions | null> {
  const { by, answers } = details;
  const attempt = before.transactions.at(-1);
  const earlier = before.transactions.findLast(({ status }) => status === 'declined');
  const earlierFailure = (earlier?.failureCode ?? null) as FailureCode | null; // limited by a CHECK constraint
  const type = attempt?.type === 'authorization' ? 'authorization' : 'purchase';
  const paymentOutcome = chargeOutcomeOf(end, type, earlierFailure);
  const deciding = paymentOutcome.status === 'declined' && end.result === 'error' ? earlier : attempt;
  // A job may read the payment after the call has recorded its outcome: an authorization is not recorded again.
  if (!mayFollow(before.payment, paymentOutcome)) return null;
  const challenge =
    end.result === 'challenge' && attempt ? challengeFor(before.payment, attempt, end.url, by.now) : null;
  const payment = paymentAfterOutcome(
    before.payment,
    deciding,
    paymentOutcome,
    challenge && { row: challenge, url: challenge.url ?? details.challengeUrl(challenge.id) },
    by.now,
  );
  const transaction = attempt && transactionAfterOutcome(attempt, end, by.now);
  const after = { payment, transactions: transaction ? [...before.transactions.slice(0, -1), transaction] : [] };

  const order = await orderAfterPayment(pool, payment);

  const parts = [
    sql`resolved AS (
      UPDATE payments t
      SET ${assign(outcomeColumns)}
      FROM ${rowOf('payments', payment)}
      WHERE t.id = r.id AND t.status = 'pending' AND t."subStatus" = ${before.payment.subStatus}
        AND t.sequence = r.sequence - 1 AND t."processorId" IS NOT DISTINCT FROM ${before.payment.processorId}
      RETURNING t.id
    )`,
  ];
  if (transaction)
    parts.push(sql`closed AS (
      UPDATE transactions t
      SET ${assign(closedColumns)}
      FROM resolved, ${rowOf('transactions', transaction)}
      WHERE t.id = r.id
    )`);
  if (challenge)
    parts.push(sql`challenged AS (
      INSERT INTO threeds_sessions
      SELECT r.*
      FROM resolved, ${rowOf('threeds_sessions', challenge)}
    )`);
  if (paymentOutcome.captured && transaction)
    parts.push(postingPart([journalEntryOf('capture', payment, transaction)], by.now, 'resolved'));
  if (order) parts.push(orderPart(order, 'resolved'));
  for (const follower of followers.payments) parts.push(...follower.outcomeParts(payment, 'resolved'));
  const events = [paymentEvent(paymentOutcome.event, payment), ...(order?.events ?? [])];
  parts.push(...recordParts(by, events, [], 'resolved'));
  if (answers) parts.push(sql`answered AS (${answerRunning(after, payment.id)} AND EXISTS (SELECT 1 FROM resolved))`);
  return (await commitParts(pool, parts, 'resolved')) ? after : null;
}

const outcomeColumns = [
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
