import type { Dispute as DisputeRecord } from '../../generated/prisma/client.ts';
import { heldMax } from '../../graph/scalars/amounts.ts';
import { newRow } from '../../lib/ids.ts';
import { type DisputeNotice, type DisputeStatus, NoticeRefused } from '../../ports/card-processor.ts';
import type { EventType } from '../../registry.ts';
import { type EventDraft, rowEvent } from '../../unit-of-work/records.ts';
import type { JournalEntry } from '../ledger/public.ts';
import { lossEntryOf, type PaymentRow } from '../payments/public.ts';
import { holdsFunds, isClosed, isCurrent } from './lifecycle.ts';

/** A dispute as the API returns it. Reads and events use the same object. */
export interface DisputeObject {
  id: string;
  paymentId: string;
  storeId: string;
  platformAccountId: string;
  processorId: string;
  processorReference: string;
  amount: number;
  currency: string;
  status: string;
  reason: string;
  evidenceDueAt: Date | null;
  closedAt: Date | null;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function disputeObject(dispute: DisputeRow): DisputeObject {
  return {
    id: dispute.id,
    paymentId: dispute.paymentId,
    storeId: dispute.storeId,
    platformAccountId: dispute.platformAccountId,
    processorId: dispute.processorId,
    processorReference: dispute.processorReference,
    amount: Number(dispute.amount),
    currency: dispute.currency,
    status: dispute.status,
    reason: dispute.reason,
    evidenceDueAt: dispute.evidenceDueAt,
    closedAt: dispute.closedAt,
    livemode: dispute.mode === 'live',
    createdAt: dispute.createdAt,
    updatedAt: dispute.updatedAt,
  };
}

/** Amounts are numbers in rows of the SQL statements and big integers in rows of Prisma. */
export type DisputeRow = Omit<DisputeRecord, 'amount'> & { amount: number | bigint };

/** The event of a dispute, with the dispute as the API returns it. */
export function disputeEvent(type: EventType, dispute: DisputeRow): EventDraft {
  return rowEvent(type, dispute, disputeObject(dispute));
}

/** The journal entry of a dispute: the amount leaves the balance. The reversed entry returns it. */
function journalEntryOf(
  kind: 'dispute' | 'foreignDispute',
  { id: journalEntryId, paymentId, platformAccountId, partnerId, mode, currency, amount }: DisputeRow,
): JournalEntry {
  return { kind, journalEntryId, paymentId, platformAccountId, partnerId, mode, currency, amount: Number(amount) };
}

/** The rows after a notice of a dispute. */
export interface DisputeChange {
  dispute: DisputeRow;
  payment: PaymentRow;
  journalEntries: JournalEntry[];
  /** Null if the notice only confirms the known state. */
  event: 'dispute/created' | 'dispute/updated' | null;
}

/** Records a dispute as the processor reports it, with any currency and any amount up to `heldMax`. */
export function openedDispute(
  payment: PaymentRow,
  processorId: string,
  notice: DisputeNotice,
  now: Date,
): DisputeChange {
  const { amount, currency, reason, status, evidenceDueAt, reportedAt, processorReference } = notice;
  const dispute = {
    ...newRow('dp_', payment, now),
    paymentId: payment.id,
    storeId: payment.storeId,
    processorId,
    processorReference,
    amount,
    currency,
    status,
    reason,
    evidenceDueAt,
    closedAt: isClosed(status) ? now : null,
    reportedAt,
    sequence: 1,
  };
  return { dispute, ...moneyAfter(payment, null, dispute), event: 'dispute/created' };
}

/** Applies a further notice of a dispute: its status, amount and deadline. Null if the notice is outdated. */
export function changedDispute(
  payment: PaymentRow,
  before: DisputeRow,
  { amount, currency, reason, status, evidenceDueAt, reportedAt }: DisputeNotice,
  now: Date,
): DisputeChange | null {
  // a CHECK constraint holds the column to the statuses
  if (!isCurrent({ ...before, status: before.status as DisputeStatus }, { status, reportedAt })) return null;
  const isSame =
    status === before.status &&
    amount === Number(before.amount) &&
    currency === before.currency &&
    reason === before.reason &&
    evidenceDueAt?.getTime() === before.evidenceDueAt?.getTime();
  if (isSame) return { dispute: { ...before, reportedAt }, payment, journalEntries: [], event: null };
  const dispute = {
    ...before,
    amount,
    currency,
    reason,
    status,
    evidenceDueAt,
    closedAt: isClosed(status) ? now : null,
    reportedAt,
    sequence: before.sequence + 1,
    updatedAt: now,
  };
  return { dispute, ...moneyAfter(payment, before, dispute), event: 'dispute/updated' };
}

/**
 * The payment and the journal entries after a dispute has changed the amount that it holds. Rejects an amount, or a sum
 * of the payment's disputes, that the ledger could not store exactly.
 */
function moneyAfter(
  before: PaymentRow,
  earlier: DisputeRow | null,
  dispute: DisputeRow,
): Pick<DisputeChange, 'payment' | 'journalEntries'> {
  const causeId = dispute.sequence === 1 ? dispute.id : `${dispute.id}:${dispute.sequence}`;
  const [was, is] = [taken(earlier), taken(dispute)];
  const payment = {
    ...before,
    disputedAmount: Number(before.disputedAmount) - was.of(before.currency) + is.of(before.currency),
    foreignDisputes: before.foreignDisputes - was.abroad(before.currency) + is.abroad(before.currency),
  };
  if (dispute.amount > heldMax || payment.disputedAmount > heldMax) throw new NoticeRefused('amount_mismatch');
  const journalEntries = lossEntryOf(before, payment, causeId);
  for (const currency of new Set([dispute.currency, earlier?.currency ?? dispute.currency])) {
    const amount = is.of(currency) - was.of(currency);
    const isForeign = currency !== before.currency;
    const journalEntryId = isForeign ? `${causeId}:${currency}` : causeId;
    if (amount !== 0)
      journalEntries.push({
        ...journalEntryOf(isForeign ? 'foreignDispute' : 'dispute', dispute),
        journalEntryId,
        currency,
        amount,
      });
  }
  return { payment, journalEntries };
}

/**
 * The amount that a dispute holds in a currency (`of`), and whether it holds an amount in another one (`abroad`: 1 or
 * 0).
 */
function taken(dispute: DisputeRow | null) {
  // a CHECK constraint holds the column to the statuses
  const takes = dispute !== null && holdsFunds(dispute.status as DisputeStatus);
  return {
    of: (currency: string): number => (takes && dispute.currency === currency ? Number(dispute.amount) : 0),
    abroad: (currency: string): number => (takes && dispute.currency !== currency ? 1 : 0),
  };
}
