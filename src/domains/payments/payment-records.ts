import type { EventType } from '../../domains.ts';
import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
import type { JournalEntry } from '../ledger/public.ts';
import { paymentObject } from './payment-object.ts';
import type { PaymentRow, TransactionRow } from './payment-rows.ts';
import { disputeLossOf } from './policy.ts';

/** The event of a payment, with the payment as the API answers it. */
export function paymentEvent(type: EventType, payment: PaymentRow): EventDraft {
  const { partnerId, platformAccountId, storeId, sequence } = payment;
  const mode = payment.mode as Mode; // a CHECK constraint holds the column to the two
  return {
    type,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    objectId: payment.id,
    sequence,
    object: paymentObject(payment),
  };
}

/**
 * The journal entry by which the loss of a payment follows its amounts, beside the entry that changes them. The loss
 * depends on the amounts only, so that the order of captures, refunds and disputes does not matter.
 */
export function lossEntryOf(before: PaymentRow, after: PaymentRow, causeId: string): JournalEntry[] {
  const amount = disputeLossOf(after) - disputeLossOf(before);
  const { id: paymentId, platformAccountId, partnerId, mode, currency } = after;
  const movementId = `${causeId}:loss`;
  return amount === 0
    ? []
    : [{ kind: 'disputeLoss', movementId, paymentId, platformAccountId, partnerId, mode, currency, amount }];
}

/** The journal entry of a transaction. */
export function journalEntryOf(
  kind: JournalEntry['kind'],
  { id: paymentId, platformAccountId, partnerId, mode }: PaymentRow,
  { id: movementId, currency, amount }: TransactionRow,
): JournalEntry {
  return { kind, movementId, paymentId, platformAccountId, partnerId, mode, currency, amount: Number(amount) };
}
