import type pg from 'pg';
import type { Env } from '../env.ts';
import { Conflict } from '../kit/errors.ts';
import type { EventType } from '../kit/event-types.ts';
import { newId } from '../kit/ids.ts';
import { recordParts, type RecordedBy } from '../kit/records.ts';
import { inTransaction } from '../kit/transaction.ts';
import { type Movement, postingPart } from '../ledger/operations.ts';
import { assign, disputeAmount, lockPayment, pastDisputeAmount, statement } from '../payments/operations.ts';
import type { PaymentRow } from '../payments/types.ts';
import type { DisputeNotice, DisputeStatus } from '../ports/card-processor.ts';
import { type DisputeRow, disputeEvent, movementOf } from './dispute-records.ts';
import { isClosed, mayBecome, takesMoney } from './lifecycle.ts';

/**
 * Takes a processor's word on a dispute: opened, moved on, won or lost. The payment is locked, so that a refund at the same
 * time takes what is left or nothing; dispute, payment, postings and event change in one transaction. The same word again,
 * or an older one, changes nothing. Null when no payment of ours was approved under that reference.
 */
export function receiveDispute(
  env: Pick<Env, 'pool'>,
  by: RecordedBy,
  processorId: string,
  notice: DisputeNotice,
): Promise<DisputeRow | null> {
  return inTransaction(env.pool, async (client) => {
    const { rows } = await client.query<{ paymentId: string }>({
      name: 'payment-in-dispute',
      text: `SELECT "paymentId" FROM transactions WHERE "processorId" = $1 AND "processorReference" = $2 AND type IN ('purchase', 'authorization') AND status = 'succeeded'`,
      values: [processorId, notice.authorizationReference],
    });
    if (!rows[0]) return null;
    const { payment } = await lockPayment(client, rows[0].paymentId, () => 'true');
    const before = await disputeOf(client, processorId, notice.processorReference);
    const change = before ? moved(before, notice.status, by.now) : opened(payment, processorId, notice, by.now);
    if (!change) return before;
    await commitChange(client, by, payment, change, before === null);
    return change.dispute;
  });
}

interface DisputeChange {
  dispute: DisputeRow;
  /** What it adds to the amount of the payment that is in dispute. */
  disputed: number;
  movement: Movement | null;
  event: EventType;
}

function opened(payment: PaymentRow, processorId: string, notice: DisputeNotice, now: Date): DisputeChange {
  const { amount, currency, reason, status, evidenceDueAt, processorReference } = notice;
  if (currency !== payment.currency) throw new Conflict('invalid_state', `The payment is in ${payment.currency}.`);
  const takes = takesMoney(status);
  // Not taken at a guess: the processor says it again, when a refund under way may have come to its end.
  const rest = takes ? disputeAmount(payment, amount) : pastDisputeAmount(payment, amount);
  if (typeof rest !== 'number')
    throw new Conflict(
      'invalid_state',
      rest.refused === 'amount' ? `The amount of the dispute ${rest.message}.` : rest.message,
    );
  const { id: paymentId, partnerId, platformAccountId, mode, storeId } = payment;
  const closedAt = isClosed(status) ? now : null;
  const dispute = {
    id: newId('dispute', now),
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
    movement: takes ? movementOf('disputeOpened', dispute) : null,
    event: 'dispute/created',
  };
}

function moved(before: DisputeRow, status: DisputeStatus, now: Date): DisputeChange | null {
  if (!mayBecome(before.status as DisputeStatus, status)) return null; // a CHECK constraint holds the column to the statuses
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
    movement: returns ? movementOf('disputeWon', dispute) : null,
    event: 'dispute/updated',
  };
}

async function disputeOf(
  client: pg.ClientBase,
  processorId: string,
  processorReference: string,
): Promise<DisputeRow | null> {
  const { rows } = await client.query<DisputeRow>({
    name: 'dispute-by-reference',
    text: 'SELECT * FROM disputes WHERE "processorId" = $1 AND "processorReference" = $2',
    values: [processorId, processorReference],
  });
  return rows[0] ?? null;
}

async function commitChange(
  client: pg.ClientBase,
  by: RecordedBy,
  payment: PaymentRow,
  { dispute, disputed, movement, event }: DisputeChange,
  isNew: boolean,
): Promise<void> {
  const { parts, bind, row, commit } = statement();
  parts.push(
    isNew
      ? `disputed AS (INSERT INTO disputes SELECT r.* FROM ${row('disputes', dispute)} RETURNING id)`
      : `disputed AS (UPDATE disputes t SET ${assign(['status', 'closedAt', 'sequence', 'updatedAt'])} FROM ${row('disputes', dispute)} WHERE t.id = r.id RETURNING t.id)`,
  );
  if (disputed !== 0)
    parts.push(
      `held AS (UPDATE payments SET "disputedAmount" = "disputedAmount" + ${bind(disputed)} WHERE id = ${bind(payment.id)})`,
    );
  if (movement) parts.push(postingPart([movement], by.now, bind, 'disputed'));
  parts.push(...recordParts(by, [disputeEvent(event, dispute)], [], bind, 'disputed'));
  await commit(client, 'disputed');
}
