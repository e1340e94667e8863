import type pg from 'pg';
import { mayChargeSql } from '../../../auth/charging-status.ts';
import type { BatchQueue } from '../../../database/batched.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { recordset, rowsOf } from '../../../database/recordset.ts';
import { empty, join, raw, type Sql, sql } from '../../../database/sql.ts';
import type { PlatformClock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { commitBatched } from '../../../unit-of-work/commit-batched.ts';
import { claimColumns, claimsPart, type IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { type RecordedBy, recordPartsOf } from '../../../unit-of-work/records.ts';
import { commitPartsOf } from '../../../unit-of-work/statement.ts';
import { orderHeldPart } from '../../orders/public.ts';
import type { ChargeRoute } from '../../processors/public.ts';
import type { ChargeInput } from '../inputs.ts';
import type { PaymentFollower } from '../payment/follower.ts';
import { stateColumns } from '../payment/lifecycle.ts';
import { paymentEvent } from '../payment/object.ts';
import { hasTransaction, type PaymentRow, type PaymentWithTransactions, type TransactionRow } from '../payment/rows.ts';
import type { ChargeFacts } from './facts.ts';

/** The parts of a charge at the time when its intent is committed. */
export interface PlannedCharge {
  paymentId: string;
  /** The period of a subscription that it pays; null if it pays none. */
  planned: { period: number; challengeUntil: Date | null } | null;
  facts: ChargeFacts;
  route: ChargeRoute;
  input: ChargeInput;
}

/** The payment and its first attempt as they are before the processor is called. */
export function chargeIntentOf(charge: PlannedCharge, clock: PlatformClock): PaymentWithTransactions {
  const now = clock.now();
  const payment = newPayment(charge, now);
  return { payment, transactions: firstAttempt(charge, payment, clock.real()) };
}

function newPayment(charge: PlannedCharge, now: Date): PaymentRow {
  const { paymentId, planned, facts, route, input } = charge;
  const { partnerId, platformAccountId, mode, storeId, customerId, paymentInstrumentId, orderId } = facts;
  return {
    id: paymentId,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    customerId,
    paymentInstrumentId,
    orderId,
    subscriptionId: facts.subscriptionId,
    subscriptionPeriod: planned?.period ?? null,
    testClockId: facts.testClock?.id ?? null,
    amount: input.amount,
    currency: input.currency,
    ...initialColumns,
    actionExpiresAt: planned?.challengeUntil ?? null,
    ...stateColumns.processing,
    processorId: route.first?.id ?? null,
    paymentFlowId: facts.flow?.id ?? null,
    cascade: route.first && route.rest.length > 0 ? route.rest : null,
    initiatedBy: input.initiatedBy,
    reasonType: input.reasonType ?? null,
    threeDs: threeDsOf(facts, input),
    returnUrl: input.returnUrl ?? null,
    billingAddress: input.billingAddress ?? null, // an input object is plain JSON
    shippingAddress: input.shippingAddress ?? null, // as above
    metadata: input.metadata ?? {},
    cardLast4: facts.cardLast4,
    customerEmailLower: facts.customerEmailLower,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** The columns for the progress of a payment, with the values that they have at its start. */
export const initialColumns = {
  capturedAmount: 0,
  refundedAmount: 0,
  reservedAmount: 0,
  disputedAmount: 0,
  foreignDisputes: 0,
  failureCode: null,
  failureMessage: null,
  requireAction: null,
  requireActionData: null,
  authorizationExpiresAt: null,
  voidedAt: null,
};

/** `force` of a flow does not apply to a charge initiated by the merchant: no cardholder could answer its challenge. */
function threeDsOf(facts: ChargeFacts, input: ChargeInput): 'automatic' | 'force' | 'skip' {
  const ofFlow = facts.flow?.threeDs ?? 'automatic';
  return input.threeDs ?? (ofFlow === 'force' && input.initiatedBy === 'merchant' ? 'automatic' : ofFlow);
}

function firstAttempt(
  { route: { first }, input }: PlannedCharge,
  payment: PaymentRow,
  askedAt: Date,
): TransactionRow[] {
  if (first === null) return [];
  const { id: paymentId, partnerId, platformAccountId, mode, amount, currency, createdAt, updatedAt } = payment;
  return [
    {
      id: newId('txn_', createdAt),
      paymentId,
      partnerId,
      platformAccountId,
      mode,
      type: input.mode === 'auth' ? 'authorization' : 'purchase',
      status: 'processing',
      amount,
      currency,
      processorId: first.id,
      processorType: first.type,
      processorReference: null,
      failureCode: null,
      askedAt,
      createdAt,
      updatedAt,
    },
  ];
}

/*
 * A charge calls a processor in between, so it commits twice: its intent before the call, its outcome after it. Charges
 * that arrive together are batched in the statement of either commit (docs/decisions/25-batched-charges.md).
 */

/** A payment and its first attempt as they are before the processor is called. */
export interface ChargeIntent {
  by: RecordedBy;
  recordKey: IdempotencyRecordKey | null;
  state: PaymentWithTransactions;
}

/**
 * Commits a payment and its first attempt before the processor is called, and reserves the order that it pays. Returns
 * undefined, and writes nothing, if the idempotency key belongs to an earlier call, the order to another payment, the
 * account may not charge any more, or the period that it pays was closed. So no charge begins once the change of a
 * status is committed, and one that has begun is completed.
 */
export type CommitIntent = (intent: ChargeIntent) => Promise<object | undefined>;

export function intentCommitter(pool: pg.Pool, followers: readonly PaymentFollower[], queue: BatchQueue): CommitIntent {
  return commitBatched<ChargeIntent, { id: string }>(pool, queue, {
    tenantOf: ({ state }) => state.payment.platformAccountId,
    claims: ({ recordKey, state: { payment } }) => [
      payment.id,
      ...(payment.orderId === null ? [] : [payment.orderId]),
      ...(recordKey ? [`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`] : []),
    ],
    mayRetryAlone: ({ state: { payment } }, wasInBatch) => !wasInBatch || payment.orderId !== null,
    write: (intents, isShared) =>
      commitPartsOf(
        pool,
        intents,
        ({ state }) => state.payment.id,
        intentParts(intents, followers, isShared),
        'intended',
      ),
  });
}

/**
 * As `CommitIntent`, with retries during an outage of the database. If the attempt's row exists, the intent was
 * committed, since this call created its id.
 */
export function beginCharge(
  { pool, chargeStatements }: Pick<Services, 'pool' | 'chargeStatements'>,
  intent: ChargeIntent,
): Promise<boolean> {
  const attemptId = intent.state.transactions.at(-1)?.id ?? '';
  return withOutageRetry<boolean>({
    run: async () => (await chargeStatements.commitIntent(intent)) !== undefined,
    done: () => hasTransaction(pool, attemptId),
    begins: true,
  });
}

function intentParts(
  intents: readonly ChargeIntent[],
  followers: readonly PaymentFollower[],
  isShared: boolean,
): Sql[] {
  const payments = intents.map(({ state }) => state.payment);
  const attempts = intents.flatMap(({ state }) => state.transactions);
  return [
    ...guards(intents, followers, isShared),
    sql`intended AS (
      INSERT INTO payments
      SELECT r.*
      FROM ready
      JOIN ${rowsOf('r', 'payments', payments)} ON r.id = ready.id
      RETURNING id
    )`,
    sql`attempted AS (
      INSERT INTO transactions
      SELECT r.*
      FROM intended
      JOIN ${rowsOf('r', 'transactions', attempts)} ON r."paymentId" = intended.id
    )`,
    ...(paysOrders(intents) ? [orderHeldPart] : []),
    ...recordPartsOf(
      intents.map(({ by, state: { payment } }) => ({
        id: payment.id,
        by,
        events: [paymentEvent('payment/created', payment)],
      })),
      'intended',
    ),
  ];
}

const requestedColumns = {
  id: 'text',
  platformAccountId: 'text',
  orderId: 'text',
  paysPeriod: 'boolean',
  subjectId: 'text',
  ...claimColumns,
};

/**
 * The CTEs that must have found a row before a payment is written: its account, which may charge; its period, if that
 * may still be charged; its order, locked and free; and then the idempotency key. The key is claimed last, since a key
 * claimed for a payment that is not written would never get an answer.
 */
function guards(intents: readonly ChargeIntent[], followers: readonly PaymentFollower[], isShared: boolean): Sql[] {
  const rows = intents.map(({ recordKey, state: { payment } }) => ({
    ...recordKey,
    id: payment.id,
    subjectId: payment.id,
    platformAccountId: payment.platformAccountId,
    orderId: payment.orderId,
    paysPeriod: payment.subscriptionPeriod !== null,
  }));
  const paysPeriods = rows.some(({ paysPeriod }) => paysPeriod);
  const begin = paysPeriods ? followers.flatMap(({ beginConditions }) => beginConditions?.(sql`r.id`) ?? []) : [];
  const guarded = [
    sql`asked AS (
      SELECT r.*
      FROM ${recordset('r', requestedColumns, 'id', rows)}
      JOIN processing_accounts a ON a.id = r."platformAccountId"
      JOIN partners owner ON owner.id = a."partnerId"
      WHERE ${mayChargeSql} ${begin.length === 0 ? empty : sql`AND (NOT r."paysPeriod" OR (${join(begin, ' AND ')}))`}
    )`,
  ];
  const ofOrders = paysOrders(intents);
  if (ofOrders)
    guarded.push(
      sql`order_free AS (
        SELECT o.id
        FROM asked
        JOIN orders o ON o.id = asked."orderId"
        WHERE o."paymentId" IS NULL AND o.status IN ('pending', 'failed')
        FOR NO KEY UPDATE OF o ${isShared ? raw('SKIP LOCKED') : empty}
      )`,
      sql`payable AS (
        SELECT asked.*
        FROM asked
        LEFT JOIN order_free ON order_free.id = asked."orderId"
        WHERE asked."orderId" IS NULL OR order_free.id IS NOT NULL
      )`,
    );
  const from = ofOrders ? 'payable' : 'asked';
  guarded.push(
    sql`claimed AS (${claimsPart(from)})`,
    sql`ready AS (
      SELECT "subjectId" AS id
      FROM claimed
      UNION ALL
      SELECT id
      FROM ${raw(from)}
      WHERE key IS NULL
    )`,
  );
  return guarded;
}

function paysOrders(intents: readonly ChargeIntent[]): boolean {
  return intents.some(({ state }) => state.payment.orderId !== null);
}
