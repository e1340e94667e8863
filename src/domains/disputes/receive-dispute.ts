import type pg from 'pg';
import { queryRow, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { EventType } from '../../domains.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { DisputeNotice, DisputeStatus } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { assign, commitParts, rowOf } from '../../write/statement.ts';
import { type JournalEntry, postingPart } from '../ledger/public.ts';
import { disputeAmount, lockPayment, type PaymentRow, pastDisputeAmount } from '../payments/public.ts';
import { type DisputeRow, disputeEvent, journalEntryOf } from './dispute-records.ts';
import { isClosed, mayBecome, takesMoney } from './lifecycle.ts';

/**
 * Records a processor's notice of a dispute: opened, advanced, won or lost. The payment is locked, so that a refund at
 * the same time sees the disputed amount; dispute, payment, postings and event change in one database transaction. A
 * repeated or outdated notice changes nothing. Returns null if no payment was approved under the reference.
 */
export function receiveDispute(
  services: Pick<Services, 'pool'>,
  by: RecordedBy,
  processorId: string,
  notice: DisputeNotice,
): Promise<DisputeRow | null> {
  return inTransaction(services.pool, async (client) => {
    const approved = await queryRow<{ paymentId: string }>(
      client,
      sql`
        SELECT "paymentId"
        FROM transactions
        WHERE "processorId" = ${processorId} AND "processorReference" = ${notice.authorizationReference}
          AND type IN ('purchase', 'authorization') AND status = 'succeeded'`,
    );
    if (!approved) return null;
    const { payment } = await lockPayment(client, approved.paymentId);
    const before = await disputeOf(client, processorId, notice.processorReference);
    const change = before
      ? buildMovedDispute(before, notice.status, by.now)
      : buildOpenedDispute(payment, processorId, notice, by.now);
    if (!change) return before;
    await commitChange(client, by, payment, change, before === null);
    return change.dispute;
  });
}

interface DisputeChange {
  dispute: DisputeRow;
  /** The change of the disputed amount of the payment. */
  disputed: number;
  journalEntry: JournalEntry | null;
  event: EventType;
}

function buildOpenedDispute(payment: PaymentRow, processorId: string, notice: DisputeNotice, now: Date): DisputeChange {
  const { amount, currency, reason, status, evidenceDueAt, processorReference } = notice;
  if (currency !== payment.currency) throw new Conflict('invalid_state', `The payment is in ${payment.currency}.`);
  const takes = takesMoney(status);
  // Refused while it does not fit: the processor repeats the notice, and a refund in flight may have an outcome then.
  const rest = takes ? disputeAmount(payment, amount) : pastDisputeAmount(payment, amount);
  if (typeof rest !== 'number')
    throw new Conflict(
      'invalid_state',
      rest.refused === 'amount' ? `The amount of the dispute ${rest.message}.` : rest.message,
    );
  const { id: paymentId, partnerId, platformAccountId, mode, storeId } = payment;
  const closedAt = isClosed(status) ? now : null;
  const dispute = {
    id: newId('dp_', now),
    paymentId,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    processorId,
    processorReference,
    amount,
    currency,
    status,
    reason,
    evidenceDueAt,
    closedAt,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
  return {
    dispute,
    disputed: takes ? amount : 0,
    journalEntry: takes ? journalEntryOf('disputeOpened', dispute) : null,
    event: 'dispute/created',
  };
}

function buildMovedDispute(before: DisputeRow, status: DisputeStatus, now: Date): DisputeChange | null {
  // a CHECK constraint holds the column to the statuses
  if (!mayBecome(before.status as DisputeStatus, status)) return null;
  const dispute = {
    ...before,
    status,
    closedAt: isClosed(status) ? now : null,
    sequence: before.sequence + 1,
    updatedAt: now,
  };
  const returns = !takesMoney(status);
  return {
    dispute,
    disputed: returns ? -Number(before.amount) : 0,
    journalEntry: returns ? journalEntryOf('disputeWon', dispute) : null,
    event: 'dispute/updated',
  };
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

async function commitChange(
  client: pg.ClientBase,
  by: RecordedBy,
  payment: PaymentRow,
  { dispute, disputed, journalEntry, event }: DisputeChange,
  isNew: boolean,
): Promise<void> {
  const parts = [
    isNew
      ? sql`disputed AS (INSERT INTO disputes SELECT r.* FROM ${rowOf('disputes', dispute)} RETURNING id)`
      : sql`disputed AS (
          UPDATE disputes t
          SET ${assign(['status', 'closedAt', 'sequence', 'updatedAt'])}
          FROM ${rowOf('disputes', dispute)}
          WHERE t.id = r.id
          RETURNING t.id
        )`,
  ];
  if (disputed !== 0)
    parts.push(sql`held AS (
      UPDATE payments
      SET "disputedAmount" = "disputedAmount" + ${disputed}
      WHERE id = ${payment.id}
    )`);
  if (journalEntry) parts.push(postingPart([journalEntry], by.now, 'disputed'));
  parts.push(...recordParts(by, [disputeEvent(event, dispute)], [], 'disputed'));
  await commitParts(client, parts, 'disputed');
}
