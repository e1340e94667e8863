import type pg from 'pg';
import { assertMayCharge, chargingStatusOf, mayChargeSql } from '../../../auth/charging-status.ts';
import { recordset, rowsOf } from '../../../database/recordset.ts';
import { empty, execute, queryRow, type Sql, sql } from '../../../database/sql.ts';
import { inQueuedTransaction } from '../../../database/transaction.ts';
import type { ModificationOutcome } from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import {
  answersRunning,
  claimColumns,
  claimsPart,
  type IdempotencyRecordKey,
} from '../../../unit-of-work/idempotency.ts';
import { type RecordedBy, recordPartsOf } from '../../../unit-of-work/records.ts';
import { assign, commitParts, commitPartsOf } from '../../../unit-of-work/statement.ts';
import { blockRulePart } from '../../block-rules/public.ts';
import { postingsPart } from '../../ledger/public.ts';
import { type OrderChange, orderAfterPayment, ordersPart } from '../../orders/public.ts';
import { closedPart } from '../charge/commit-outcome.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from '../payment/object.ts';
import {
  lockPayment,
  type ModificationResult,
  type PaymentOfAccount,
  type PaymentRow,
  type PaymentWithTransactions,
  type RefundRow,
  type TransactionRow,
  transactionById,
} from '../payment/rows.ts';
import { storedModification } from './answer.ts';
import type { ReservedModification } from './batched.ts';
import { endedOf, type Modification, type ModificationEnd, type ModificationIntent } from './decide.ts';

/** The intents of one payment, decided in order on one version of its row. */
export interface DecidedPayment {
  /** The version of the payment's row that was read; null under its lock. */
  version: string | null;
  needsChargeRight: boolean;
  /** The payment with what all of them reserve. */
  payment: PaymentRow;
  calls: readonly { recordKey: IdempotencyRecordKey | null; intent: ModificationIntent }[];
}

const reservedColumns = { status: 'text', subStatus: 'text', reservedAmount: 'bigint', updatedAt: 'timestamptz' };
const heldColumns = { id: 'text', version: 'xid', needsChargeRight: 'boolean', keys: 'int', ...reservedColumns };
const callColumns = { paymentId: 'text', subjectId: 'text', ...claimColumns };

/**
 * The CTEs of the intents of different payments. Keys are claimed last, since a key claimed for an intent that is not
 * written would never get an answer. The intents of a payment are all written or none: each depends on those before it.
 * Locked rows are skipped, since a batch waits for no payment.
 */
export function reservedParts(decided: readonly DecidedPayment[]): Sql[] {
  const rows = decided.map(({ version, needsChargeRight, payment, calls }) => {
    const { id, status, subStatus, reservedAmount, updatedAt } = payment;
    const keys = calls.filter(({ recordKey }) => recordKey !== null).length;
    return { id, version, needsChargeRight, keys, status, subStatus, reservedAmount, updatedAt };
  });
  const intents = decided.flatMap(({ calls }) => calls.map(({ intent }) => intent));
  const refunds = intents.flatMap(({ refund }) => refund ?? []);
  const isShared = decided.some(({ calls }) => calls.length > 1);
  return [
    sql`called AS (SELECT c.* FROM ${recordset('c', callColumns, 'subjectId', callsOf(decided))})`,
    sql`held AS (
      SELECT r.*
      FROM ${recordset('r', heldColumns, 'id', rows)}
      JOIN payments t ON t.id = r.id AND (r.version IS NULL OR t.xmin = r.version)
      ${decided.some(({ needsChargeRight }) => needsChargeRight) ? chargingAccounts : empty}
      ${isShared ? whereKeysAreFree : empty}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`asked AS (SELECT called.* FROM held JOIN called ON called."paymentId" = held.id)`,
    sql`claimed AS (${claimsPart('asked', { mustBeFree: isShared })})`,
    sql`reserved AS (
      UPDATE payments t
      SET ${assign(Object.keys(reservedColumns))}
      FROM held r
      CROSS JOIN LATERAL (
        SELECT count(*) AS claims
        FROM asked
        JOIN claimed ON claimed."subjectId" = asked."subjectId"
        WHERE asked."paymentId" = r.id
      ) n
      WHERE t.id = r.id AND n.claims = r.keys
      RETURNING t.id, t.xmin::text AS version
    )`,
    sql`begun AS (
      INSERT INTO transactions
      SELECT r.*
      FROM reserved
      JOIN ${rowsOf(
        'r',
        'transactions',
        intents.map(({ transaction }) => transaction),
      )} ON r."paymentId" = reserved.id
    )`,
    ...(refunds.length > 0
      ? [
          sql`refunding AS (
            INSERT INTO refunds
            SELECT r.*
            FROM reserved
            JOIN ${rowsOf('r', 'refunds', refunds)} ON r."paymentId" = reserved.id
          )`,
        ]
      : []),
  ];
}

function callsOf(decided: readonly DecidedPayment[]): object[] {
  return decided.flatMap(({ payment, calls }) =>
    calls.map(({ recordKey, intent }) => ({
      ...recordKey,
      paymentId: payment.id,
      subjectId: intent.transaction.id,
    })),
  );
}

const chargingAccounts = sql`
  JOIN processing_accounts a ON a.id = t."platformAccountId"
  JOIN partners owner ON owner.id = t."partnerId" AND (NOT r."needsChargeRight" OR ${mayChargeSql})`;

/**
 * When several calls of a payment are written together, a payment with a repeat is left out, since a repeat claims
 * nothing. A key that another call claims concurrently violates the primary key of `idempotency_records`: the statement
 * is rolled back, so that no payment keeps a part of its claims, and each call is written individually.
 */
const whereKeysAreFree = sql`
  WHERE NOT EXISTS (
    SELECT 1
    FROM called
    JOIN idempotency_records i
      ON i.owner = called.owner AND i.operation = called.operation AND i.key = called.key
    WHERE called."paymentId" = r.id
  )`;

/**
 * Commits the intent of a capture, void or refund before the processor is called, under the payment's lock, so that
 * each of several concurrent calls sees what those before it have reserved. If `decide` throws, nothing is written.
 * Returns null, and writes nothing, if the idempotency key belongs to an earlier call, or if the account may not charge
 * any more.
 */
export function commitModificationIntent(
  { pool, paymentFollowers }: Pick<Services, 'pool' | 'paymentFollowers'>,
  {
    recordKey,
    platformAccountId,
    tenant,
    records,
  }: {
    recordKey: IdempotencyRecordKey | null;
    platformAccountId: string;
    tenant: Sql;
    /** The CTEs of the records of the change. They come after `reserved`. */
    records?: (before: PaymentWithTransactions, intent: ModificationIntent) => Sql[];
  },
  { paymentId, needsChargeRight, withIntent }: Pick<Modification, 'paymentId' | 'needsChargeRight' | 'withIntent'>,
  decide: (before: PaymentWithTransactions) => ModificationIntent,
): Promise<ReservedModification | null> {
  return inQueuedTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId, tenant);
    if (needsChargeRight) assertMayCharge(await chargingStatusOf(client, before.payment.platformAccountId));
    const intent = decide(before);
    await withIntent?.assert(client, intent);
    const decided: DecidedPayment = {
      version: null,
      needsChargeRight: needsChargeRight === true,
      payment: intent.payment,
      calls: [{ recordKey, intent }],
    };
    const parts = [
      ...reservedParts([decided]),
      ...refundExtras(intent, paymentFollowers),
      ...(withIntent?.parts(intent) ?? []),
      ...(records ? records(before, intent) : []),
    ];
    const written = await commitPartsOf<DecidedPayment, { id: string; version: string }>(
      client,
      [decided],
      ({ payment }) => payment.id,
      parts,
      'reserved',
    );
    const row = written.get(decided);
    const { payment, transaction, refund } = intent;
    const state = { payment, transactions: [...before.transactions, transaction] };
    return row ? { transaction, refund, state, version: row.version } : null;
  });
}

/** What the call changes besides the payment. */
function refundExtras(
  { payment, blockRule, cancelsSubscription }: ModificationIntent,
  followers: Services['paymentFollowers'],
): Sql[] {
  const parts: Sql[] = [];
  if (blockRule) parts.push(blockRulePart(blockRule, 'reserved'));
  if (cancelsSubscription !== null)
    for (const follower of followers)
      parts.push(...(follower.cancelParts?.(cancelsSubscription, payment.updatedAt, 'reserved') ?? []));
  return parts;
}

/** The outcome of a capture, void or refund. */
export interface EndedModification {
  by: RecordedBy;
  before: PaymentRow;
  end: ModificationEnd;
  /** The answer of the call in progress. */
  result: ModificationResult;
  order: OrderChange | null;
}

/** The outcomes of one payment, each decided on the result of the one before it. */
export interface EndedPayment {
  /** The version of the payment's row that was read; null under its lock. */
  version: string | null;
  /** The payment after the last of them. */
  payment: PaymentRow;
  ends: readonly EndedModification[];
}

const columns = {
  status: 'text',
  subStatus: 'text',
  capturedAmount: 'bigint',
  refundedAmount: 'bigint',
  reservedAmount: 'bigint',
  authorizationExpiresAt: 'timestamptz',
  voidedAt: 'timestamptz',
  failureMessage: 'text',
  sequence: 'int',
  updatedAt: 'timestamptz',
};

const endedColumns = { id: 'text', version: 'xid', ...columns };

/** The columns of a payment that change with the outcome of a modification. */
export const modifiedColumns = Object.keys(columns);

/** The CTEs of the outcomes of different payments. Locked rows are skipped, since a batch waits for no payment. */
export function endedParts(payments: readonly EndedPayment[]): Sql[] {
  const rows = payments.map(({ version, payment }) => ({ ...payment, version }));
  const ended = payments.flatMap(({ ends }) => ends);
  const parts = [
    sql`ended AS (
      SELECT r.*
      FROM ${recordset('r', endedColumns, 'id', rows)}
      JOIN payments t ON t.id = r.id AND (r.version IS NULL OR t.xmin = r.version)
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`resolved AS (
      UPDATE payments t
      SET ${assign(modifiedColumns)}
      FROM ended r
      WHERE t.id = r.id
      RETURNING t.id, t.xmin::text AS version
    )`,
    closedPart(
      ended.map(({ end }) => end.transaction),
      'resolved',
    ),
  ];
  const refunds = ended.flatMap(({ result }) => result.refund ?? []);
  if (refunds.length > 0)
    parts.push(sql`refunded AS (
      UPDATE refunds t
      SET ${assign(['status', 'updatedAt'])}
      FROM resolved
      JOIN ${recordset('r', refundColumns, 'id', refunds)} ON r."paymentId" = resolved.id
      WHERE t.id = r.id
    )`);
  const journalEntries = ended.flatMap(({ by, before, end: { journalEntry, payment, transaction } }) => {
    if (!journalEntry) return [];
    const entries = [
      journalEntryOf(journalEntry, payment, transaction),
      ...lossEntryOf(before, payment, transaction.id),
    ];
    return entries.map((entry) => ({ ...entry, createdAt: by.now }));
  });
  if (journalEntries.length > 0) parts.push(postingsPart(journalEntries, 'resolved'));
  const orders = ended.flatMap(({ before, order }) => (order ? [{ paymentId: before.id, order: order.order }] : []));
  if (orders.length > 0) parts.push(ordersPart(orders, 'resolved'));
  const changes = ended.map(({ by, end: { event, payment }, order }) => ({
    id: payment.id,
    by,
    events: event ? [paymentEvent(event, payment), ...(order?.events ?? [])] : [],
  }));
  parts.push(...recordPartsOf(changes, 'resolved'));
  const answers = ended.map(({ end, result }) => ({
    subjectId: end.transaction.id,
    answer: storedModification(result),
  }));
  parts.push(sql`answered AS (${answersRunning(answers, 'closed')})`);
  return parts;
}

const refundColumns = { paymentId: 'text', id: 'text', status: 'text', updatedAt: 'timestamptz' };

/**
 * Commits the outcome of a modification whose intent this call has committed. Unless another process has changed the
 * payment since then, nothing is read and no lock is waited for. Returns null, and writes nothing, if the outcome was
 * already recorded.
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
 * progress. If that call or a job has already recorded the outcome, nothing is written and the current rows are the
 * answer.
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
  return inQueuedTransaction(pool, platformAccountId, async (client) => {
    const found = await lockPayment(client, id);
    const transaction = transactionById(found, transactionId);
    const before = { ...found, refund: await refundOfTransaction(client, transaction) };
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
  return inQueuedTransaction(pool, platformAccountId, async (client) => {
    const found = await lockPayment(client, paymentId);
    const transaction = found.transactions.find((one) => one.id === transactionId);
    const result = { ...found, refund: transaction ? await refundOfTransaction(client, transaction) : null };
    await execute(client, answersRunning([{ subjectId: transactionId, answer: result }]));
    return result;
  });
}

async function refundOfTransaction(client: pg.ClientBase, transaction: TransactionRow): Promise<RefundRow | null> {
  if (transaction.type !== 'refund') return null;
  const refund = await queryRow<RefundRow>(
    client,
    sql`SELECT * FROM refunds WHERE "transactionId" = ${transaction.id}`,
  );
  return refund ?? null;
}
