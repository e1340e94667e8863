import type pg from 'pg';
import { chargingAccount } from '../../../auth/charging-status.ts';
import { type BatchQueue, newBatchQueue } from '../../../database/batched.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { recordset } from '../../../database/recordset.ts';
import { identifier, join, queryRow, type Sql, sql } from '../../../database/sql.ts';
import { tenantQueue } from '../../../database/tenant-queue.ts';
import { toJson } from '../../../lib/json.ts';
import type { Metrics } from '../../../observability/metrics.ts';
import type { Services } from '../../../services.ts';
import { commitBatched } from '../../../unit-of-work/commit-batched.ts';
import { answersRunning, claimPart, type IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { type RecordedBy, recordParts, recordPartsOf } from '../../../unit-of-work/records.ts';
import { assign, commitParts, commitPartsOf, recordOf } from '../../../unit-of-work/statement.ts';
import type { BlockingRule } from '../../block-rules/public.ts';
import { postingsPart } from '../../ledger/public.ts';
import { type OrderChange, orderAfterPayment, ordersPart } from '../../orders/public.ts';
import { challengesPart } from '../challenge/answer-challenge.ts';
import { type PaymentFollower, recordedByJob } from '../payment/follower.ts';
import type { FailureCode } from '../payment/lifecycle.ts';
import { journalEntryOf, paymentEvent } from '../payment/object.ts';
import { challengeUrlOf } from '../payment/processor.ts';
import type { ChallengeRow, PaymentRow, PaymentWithTransactions, TransactionRow } from '../payment/rows.ts';
import { storedCharge } from './answer.ts';
import { factsReader, type ReadFacts } from './facts.ts';
import { type ChargeIntent, type CommitIntent, intentCommitter } from './intent.ts';
import {
  type AttemptEnd,
  challengeFor,
  chargeOutcomeOf,
  mayFollow,
  type PaymentOutcome,
  paymentAfterOutcome,
  paymentOutcomeOf,
  transactionAfterOutcome,
} from './outcome.ts';

/** What a statement of a charge needs of the services. */
export type ChargeServices = Pick<Services, 'pool' | 'chargeStatements'>;

export interface OutcomeDetails {
  by: RecordedBy;
  /** The address at which the cardholder answers the challenge with this id. */
  challengeUrl(sessionId: string): string;
  /** Whether a call with an idempotency key is waiting for the answer. */
  answers: boolean;
}

/** The rows that the outcome of an attempt changes, before and after it. */
interface ChargeOutcome {
  by: RecordedBy;
  before: PaymentWithTransactions;
  after: PaymentWithTransactions;
  paymentOutcome: PaymentOutcome;
  challenge: ChallengeRow | null;
  order: OrderChange | null;
  answers: boolean;
}

/**
 * Commits the outcome of an attempt: the states of payment and transaction, the challenge if there is one, the event,
 * and the answer of the call in progress. Returns null, and writes nothing, if another process has recorded an outcome
 * or continued with another processor.
 */
export async function commitOutcome(
  { pool, chargeStatements }: ChargeServices,
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
  const decidingAttempt = paymentOutcome.status === 'declined' && end.result === 'error' ? earlier : attempt;
  // A job may read the payment after the call has recorded its outcome: an authorization is not recorded again.
  if (!mayFollow(before.payment, paymentOutcome)) return null;
  const challenge =
    end.result === 'challenge' && attempt ? challengeFor(before.payment, attempt, end.url, by.now) : null;
  const payment = paymentAfterOutcome(
    before.payment,
    decidingAttempt,
    paymentOutcome,
    challenge && { row: challenge, url: challenge.url ?? details.challengeUrl(challenge.id) },
    by.now,
  );
  const transaction = attempt && transactionAfterOutcome(attempt, end, by.now);
  const after = { payment, transactions: transaction ? [...before.transactions.slice(0, -1), transaction] : [] };
  const isWritten = await withOutageRetry<boolean>({
    async run() {
      const order = await orderAfterPayment(pool, payment);
      const ended = { by, before, after, paymentOutcome, challenge, order, answers };
      return (await chargeStatements.commitOutcome(ended)) !== undefined;
    },
    done: () => isRecorded(pool, payment),
  });
  return isWritten ? after : null;
}

/** Whether this is the outcome that was recorded, and not that of another process. */
async function isRecorded(pool: Services['pool'], { id, sequence, updatedAt }: PaymentRow): Promise<true | null> {
  const found = await queryRow(
    pool,
    sql`SELECT 1 FROM payments WHERE id = ${id} AND sequence = ${sequence} AND "updatedAt" = ${updatedAt}`,
  );
  return found ? true : null;
}

const columns = { status: 'text', processorReference: 'text', failureCode: 'text', updatedAt: 'timestamptz' };
const rowColumns = { paymentId: 'text', id: 'text', ...columns };

/** The columns of a transaction that change when it ends. */
export const closedColumns = Object.keys(columns);

/**
 * The CTE `closed` that ends one transaction of each payment of the CTE `guard`. It returns the ids of the
 * transactions.
 */
export function closedPart(transactions: readonly TransactionRow[], guard: string): Sql {
  return sql`closed AS (
    UPDATE transactions t
    SET ${assign(closedColumns)}
    FROM ${identifier(guard)} g
    JOIN ${recordset('r', rowColumns, 'id', transactions)} ON r."paymentId" = g.id
    WHERE t.id = r.id
    RETURNING t.id
  )`;
}

/** Commits an outcome. Returns undefined, and writes nothing, if another process has recorded one. */
type CommitOutcome = (outcome: ChargeOutcome) => Promise<object | undefined>;

function outcomeCommitter(pool: pg.Pool, followers: readonly PaymentFollower[], queue: BatchQueue): CommitOutcome {
  return commitBatched<ChargeOutcome, { id: string }>(pool, queue, {
    tenantOf: ({ before }) => before.payment.platformAccountId,
    claims: ({ before }) => [before.payment.id],
    mayRetryAlone: () => true,
    write: (outcomes, isShared) =>
      commitPartsOf(
        pool,
        outcomes,
        ({ before }) => before.payment.id,
        outcomeParts(outcomes, followers, isShared),
        'resolved',
      ),
  });
}

const outcomeColumns = {
  status: 'text',
  subStatus: 'text',
  failureCode: 'text',
  failureMessage: 'text',
  capturedAmount: 'bigint',
  requireAction: 'text',
  requireActionData: 'jsonb',
  actionExpiresAt: 'timestamptz',
  authorizationExpiresAt: 'timestamptz',
  processorId: 'text',
  cascade: 'jsonb',
  sequence: 'int',
  updatedAt: 'timestamptz',
};

function outcomeParts(
  outcomes: readonly ChargeOutcome[],
  followers: readonly PaymentFollower[],
  isShared: boolean,
): Sql[] {
  const parts = [
    ...resolvedParts(outcomes, isShared),
    closedPart(
      outcomes.flatMap(({ after }) => after.transactions.slice(-1)),
      'resolved',
    ),
  ];
  const challenges = outcomes.flatMap(({ challenge }) => challenge ?? []);
  if (challenges.length > 0) parts.push(challengesPart(challenges));
  const journalEntries = outcomes.flatMap(({ by, after: { payment, transactions }, paymentOutcome }) => {
    const transaction = transactions.at(-1);
    if (!paymentOutcome.captured || !transaction) return [];
    return [{ ...journalEntryOf('capture', payment, transaction), createdAt: by.now }];
  });
  if (journalEntries.length > 0) parts.push(postingsPart(journalEntries, 'resolved'));
  const orders = outcomes.flatMap(({ after, order }) =>
    order ? [{ paymentId: after.payment.id, order: order.order }] : [],
  );
  if (orders.length > 0) parts.push(ordersPart(orders, 'resolved'));
  const payments = outcomes.map(({ after }) => after.payment);
  for (const follower of followers) parts.push(...follower.outcomeParts(payments, 'resolved'));
  const changes = outcomes.map(({ by, after: { payment }, paymentOutcome, order }) => ({
    id: payment.id,
    by,
    events: [paymentEvent(paymentOutcome.event, payment), ...(order?.events ?? [])],
  }));
  parts.push(...recordPartsOf(changes, 'resolved'));
  const answers = outcomes.flatMap(({ after, answers: isAwaited }) =>
    isAwaited ? [{ subjectId: after.payment.id, answer: storedCharge(after) }] : [],
  );
  if (answers.length > 0) parts.push(sql`answered AS (${answersRunning(answers, 'resolved')})`);
  return parts;
}

/**
 * The payments, if each is unchanged since it was read. Those of a batch are locked first, with SKIP LOCKED, since a
 * batch waits for no row.
 */
function resolvedParts(outcomes: readonly ChargeOutcome[], isShared: boolean): Sql[] {
  const rows = outcomes.map(({ before, after: { payment } }) => ({
    ...payment,
    before: before.payment.subStatus,
    processorBefore: before.payment.processorId,
  }));
  const columns = { id: 'text', before: 'text', processorBefore: 'text', ...outcomeColumns };
  const isBefore = sql`
    t.id = r.id AND t.status = 'pending' AND t."subStatus" = r.before AND t.sequence = r.sequence - 1
    AND t."processorId" IS NOT DISTINCT FROM r."processorBefore"`;
  const resolved = sql`
    UPDATE payments t
    SET ${assign(Object.keys(outcomeColumns))}`;
  if (!isShared)
    return [
      sql`resolved AS (
        ${resolved}
        FROM ${recordset('r', columns, 'id', rows)}
        WHERE ${isBefore}
        RETURNING t.id
      )`,
    ];
  return [
    sql`ended AS (
      SELECT r.*
      FROM ${recordset('r', columns, 'id', rows)}
      JOIN payments t ON ${isBefore}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`resolved AS (
      ${resolved}
      FROM ended r
      WHERE t.id = r.id
      RETURNING t.id
    )`,
  ];
}

/** Counts the outcome of a charge after it was committed. A challenge counts as one outcome, and its end as another. */
function countCharge(metrics: Metrics, payment: PaymentRow): void {
  const { mode, status, requireAction, failureCode, currency, capturedAmount } = payment;
  const outcome = requireAction === null ? status : 'requires_action';
  metrics.chargeDecided({ mode, outcome, code: failureCode ?? 'none', currency, captured: Number(capturedAmount) });
}

/** The statements of a charge. Charges of a process that arrive together are batched in each of them. */
export interface ChargeStatements {
  facts: ReadFacts;
  commitIntent: CommitIntent;
  commitOutcome: CommitOutcome;
}

export function chargeStatements({
  pool,
  paymentFollowers,
  processors,
  metrics,
}: Pick<Services, 'pool' | 'paymentFollowers' | 'processors' | 'metrics'>): ChargeStatements {
  const queue = newBatchQueue();
  const commitOutcome = outcomeCommitter(pool, paymentFollowers, queue);
  return {
    facts: factsReader(pool, [...processors.keys()]),
    commitIntent: intentCommitter(pool, paymentFollowers, queue),
    async commitOutcome(outcome) {
      const isWritten = await commitOutcome(outcome);
      if (isWritten) countCharge(metrics, outcome.after.payment);
      return isWritten;
    },
  };
}

/**
 * Commits a payment for which no processor is called, with its outcome, in one statement. Returns null, and writes
 * nothing, if the idempotency key belongs to an earlier call, the order to another payment, or the account may not
 * charge any more.
 */
export async function commitWithoutProcessor(
  { pool, paymentFollowers, metrics }: Pick<Services, 'pool' | 'paymentFollowers' | 'metrics'>,
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
      FROM ${join([...from, recordOf('payments', after.payment)], ', ')}
      RETURNING id
    )`,
  ];
  if (end.result === 'blocked') parts.push(blockedPart(after.payment, end.rule));
  if (order) parts.push(ordersPart([{ paymentId: payment.id, order: order.order }], 'intended'));
  for (const follower of paymentFollowers) parts.push(...follower.outcomeParts([payment], 'intended'));
  const events = [
    paymentEvent('payment/created', payment),
    paymentEvent(paymentOutcome.event, after.payment),
    ...(order?.events ?? []),
  ];
  parts.push(...recordParts(by, events, [], 'intended'));
  const commit = () => commitParts(pool, parts, 'intended', { brief: true });
  if (!(await tenantQueue(pool).runWaiting(payment.platformAccountId, commit))) return null;
  countCharge(metrics, after.payment);
  return after;
}

/** The rule is visible to operators only: with a key, enough such answers would reveal a card number. */
function blockedPart(payment: PaymentRow, { id, name, criteria }: BlockingRule): Sql {
  const { id: paymentId, partnerId, platformAccountId, mode, createdAt } = payment;
  const row = { paymentId, partnerId, platformAccountId, mode, blockRuleId: id, ruleName: name, criteria, createdAt };
  return sql`blocked AS (INSERT INTO blocked_charges SELECT r.* FROM intended, ${recordOf('blocked_charges', row)})`;
}

/**
 * The CTEs that must have found a row, in the order of `intent.ts`. `orderSequence` is that of the order
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

/** The details of an outcome that a job records; the call that waits for it gets it as its answer. */
export function outcomeDetailsOf(services: Services): OutcomeDetails {
  return {
    by: recordedByJob(services, 'resolve-payments'),
    challengeUrl: challengeUrlOf(services.config),
    answers: true,
  };
}
