import { recordset } from '../../database/recordset.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { type RecordedBy, recordPartsOf } from '../../write/records.ts';
import { answersRunning, assign } from '../../write/statement.ts';
import { postingsPart } from '../ledger/public.ts';
import { type OrderChange, ordersPart } from '../orders/public.ts';
import { closedPart } from './closed-transactions.ts';
import { storedModification } from './modification-answer.ts';
import type { ModificationEnd } from './modification-end.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from './payment-records.ts';
import type { ModificationResult, PaymentRow } from './payment-rows.ts';

/** The outcome of a capture, void or refund. */
export interface EndedModification {
  by: RecordedBy;
  before: PaymentRow;
  end: ModificationEnd;
  /** What the call in progress answers. */
  result: ModificationResult;
  order: OrderChange | null;
}

/** The outcomes of one payment, each decided on the payment as the one before it leaves it. */
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

/** The CTEs of the outcomes of different payments. A row that is locked is left out: a batch waits for no payment. */
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
