import type pg from 'pg';
import { queryRow, sql } from '../../database/sql.ts';
import { inQueuedTransaction } from '../../database/transaction.ts';
import { type DisputeNotice, NoticeRefused } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import { type RecordedBy, recordParts } from '../../unit-of-work/records.ts';
import { assign, commitParts, recordOf } from '../../unit-of-work/statement.ts';
import { postingsPart } from '../ledger/public.ts';
import { lockPayment } from '../payments/public.ts';
import { changedDispute, type DisputeChange, type DisputeRow, disputeEvent, openedDispute } from './dispute-change.ts';

/**
 * Records a processor's notice of a dispute. The dispute has already happened, so it is recorded for any currency, any
 * state of the payment, and any amount that can be stored exactly. The payment is locked, so that a concurrent refund
 * sees the disputed amount; dispute, payment, postings and event change in one database transaction. A repeated or
 * outdated notice changes nothing. Returns null if no charge with a known outcome has the reference.
 */
export function receiveDispute(
  services: Pick<Services, 'pool'>,
  by: RecordedBy,
  processorId: string,
  notice: DisputeNotice,
): Promise<DisputeRow | null> {
  return inQueuedTransaction(services.pool, processorId, async (client) => {
    const charge = await queryRow<{ paymentId: string }>(
      client,
      sql`
        SELECT "paymentId"
        FROM transactions
        WHERE "processorId" = ${processorId} AND "processorReference" = ${notice.authorizationReference}
          AND type IN ('purchase', 'authorization') AND status NOT IN ('processing', 'requires_action')`,
    );
    if (!charge) return null;
    const { payment } = await lockPayment(client, charge.paymentId);
    const before = await disputeOf(client, processorId, notice.processorReference);
    // The reference of a dispute of another payment does not identify a dispute of this one.
    if (before && before.paymentId !== payment.id) throw new NoticeRefused('charge_mismatch');
    const change = before
      ? changedDispute(payment, before, notice, by.now)
      : openedDispute(payment, processorId, notice, by.now);
    if (!change) return before;
    await commitChange(client, by, change);
    return change.dispute;
  });
}

async function disputeOf(
  client: pg.ClientBase,
  processorId: string,
  processorReference: string,
): Promise<DisputeRow | null> {
  const dispute = await queryRow<DisputeRow>(
    client,
    sql`
      SELECT *
      FROM disputes
      WHERE "processorId" = ${processorId} AND "processorReference" = ${processorReference}`,
  );
  return dispute ?? null;
}

const changingColumns = [
  'amount',
  'currency',
  'status',
  'reason',
  'evidenceDueAt',
  'closedAt',
  'reportedAt',
  'sequence',
  'updatedAt',
];

async function commitChange(
  client: pg.ClientBase,
  by: RecordedBy,
  { dispute, payment, journalEntries, event }: DisputeChange,
): Promise<void> {
  const parts = [
    event === 'dispute/created'
      ? sql`disputed AS (INSERT INTO disputes SELECT r.* FROM ${recordOf('disputes', dispute)} RETURNING id)`
      : sql`disputed AS (
          UPDATE disputes t
          SET ${assign(changingColumns)}
          FROM ${recordOf('disputes', dispute)}
          WHERE t.id = r.id
          RETURNING t.id
        )`,
    sql`held AS (
      UPDATE payments t
      SET ${assign(['disputedAmount', 'foreignDisputes'])}
      FROM ${recordOf('payments', payment)}
      WHERE t.id = r.id
      RETURNING t.id
    )`,
  ];
  if (journalEntries.length > 0) parts.push(postingsPart(journalEntries, 'held', by.now));
  if (event) parts.push(...recordParts(by, [disputeEvent(event, dispute)], [], 'disputed'));
  await commitParts(client, parts, 'disputed');
}
