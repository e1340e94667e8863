import type pg from 'pg';
import { recordset } from '../../database/recordset.ts';
import { type Sql, sql } from '../../database/sql.ts';
import type { Turns } from '../../database/together.ts';
import { commitTogether } from '../../write/commit-together.ts';
import { type RecordedBy, recordPartsOf } from '../../write/records.ts';
import { answersRunning, assign, commitPartsOf } from '../../write/statement.ts';
import { postingsPart } from '../ledger/public.ts';
import { type OrderChange, ordersPart } from '../orders/public.ts';
import { closedPart } from './closed-transactions.ts';
import type { ModificationEnd } from './modification-end.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from './payment-records.ts';
import type { ModificationResult, PaymentRow } from './payment-rows.ts';

/** The outcome of a capture, void or refund, decided on a version of its payment. */
export interface EndedModification {
  by: RecordedBy;
  before: PaymentRow;
  /** The version of the payment's row that was read; null under its lock. */
  version: string | null;
  end: ModificationEnd;
  /** What the call in progress answers. */
  result: ModificationResult;
  order: OrderChange | null;
}

/**
 * Commits an outcome if the payment is still as it was read. Returns undefined, and writes nothing, if it is not, or if
 * it is locked.
 */
export type EndModification = (ended: EndedModification) => Promise<object | undefined>;

export function modificationEnder(pool: pg.Pool, turns: Turns): EndModification {
  return commitTogether<EndedModification, { id: string }>(turns, {
    claims: ({ before }) => [before.id],
    mayBeWrittenAlone: () => false,
    write: (ended) => commitPartsOf(pool, ended, ({ before }) => before.id, endedParts(ended), 'resolved'),
  });
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

/** The columns of a payment that change with the outcome of a modification. */
export const modifiedColumns = Object.keys(columns);

/** The CTEs of outcomes of different payments. A row that is locked is left out: a batch waits for no payment. */
export function endedParts(ended: readonly EndedModification[]): Sql[] {
  const rows = ended.map(({ version, end: { payment } }) => ({ ...payment, version }));
  const parts = [
    sql`ended AS (
      SELECT r.*
      FROM ${recordset('r', { id: 'text', version: 'xid', ...columns }, 'id', rows)}
      JOIN payments t ON t.id = r.id AND (r.version IS NULL OR t.xmin = r.version)
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`resolved AS (
      UPDATE payments t
      SET ${assign(modifiedColumns)}
      FROM ended r
      WHERE t.id = r.id
      RETURNING t.id
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
  const answers = ended.map(({ end, result }) => ({ subjectId: end.transaction.id, answer: result }));
  parts.push(sql`answered AS (${answersRunning(answers, 'closed')})`);
  return parts;
}

const refundColumns = { paymentId: 'text', id: 'text', status: 'text', updatedAt: 'timestamptz' };
