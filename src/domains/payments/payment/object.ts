import type { Mode } from '../../../lib/ids.ts';
import type { EventType } from '../../../registry.ts';
import type { TextKey } from '../../../theme/words.ts';
import type { EventDraft } from '../../../unit-of-work/records.ts';
import type { JournalEntry } from '../../ledger/public.ts';
import { disputeLossOf } from './policy.ts';
import type { PaymentRow, RequiredAction, TransactionRow } from './rows.ts';

/** A payment as the API returns it (rest/public/payments.graphql). */
export interface PaymentObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  customerId: string;
  paymentInstrumentId: string;
  orderId: string | null;
  subscriptionId: string | null;
  amount: number;
  currency: string;
  capturedAmount: number;
  refundedAmount: number;
  status: string;
  subStatus: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  requireAction: string | null;
  requireActionData: RequiredAction | null;
  processorId: string | null;
  metadata: unknown;
  livemode: boolean;
  /** Absent unless the authorization was voided. */
  voidedAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

export function paymentObject(payment: PaymentRow): PaymentObject {
  return {
    id: payment.id,
    storeId: payment.storeId,
    platformAccountId: payment.platformAccountId,
    customerId: payment.customerId,
    paymentInstrumentId: payment.paymentInstrumentId,
    orderId: payment.orderId,
    subscriptionId: payment.subscriptionId,
    amount: Number(payment.amount),
    currency: payment.currency,
    capturedAmount: Number(payment.capturedAmount),
    refundedAmount: Number(payment.refundedAmount),
    status: payment.status,
    subStatus: payment.subStatus,
    failureCode: payment.failureCode,
    failureMessage: payment.failureMessage,
    requireAction: payment.requireAction,
    requireActionData: payment.requireActionData as RequiredAction | null, // always written as RequiredAction
    processorId: payment.processorId,
    metadata: payment.metadata,
    livemode: payment.mode === 'live',
    ...(payment.voidedAt !== null && { voidedAt: payment.voidedAt }),
    createdAt: payment.createdAt,
    updatedAt: payment.updatedAt,
  };
}

/** The event of a payment, with the payment as the API returns it. */
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
 * The journal entry that adjusts the loss of a payment to its amounts, in addition to the entry that changes them. The
 * loss depends only on the amounts, so the order of captures, refunds and disputes does not matter.
 */
export function lossEntryOf(before: PaymentRow, after: PaymentRow, causeId: string): JournalEntry[] {
  const amount = disputeLossOf(after) - disputeLossOf(before);
  const { id: paymentId, platformAccountId, partnerId, mode, currency } = after;
  const journalEntryId = `${causeId}:loss`;
  return amount === 0
    ? []
    : [{ kind: 'disputeLoss', journalEntryId, paymentId, platformAccountId, partnerId, mode, currency, amount }];
}

/** The journal entry of a transaction. */
export function journalEntryOf(
  kind: JournalEntry['kind'],
  { id: paymentId, platformAccountId, partnerId, mode }: PaymentRow,
  { id: journalEntryId, currency, amount }: TransactionRow,
): JournalEntry {
  return { kind, journalEntryId, paymentId, platformAccountId, partnerId, mode, currency, amount: Number(amount) };
}

/** The texts that a payer sees for a failed payment, for the reasons that a payer can act on. */
export const unpaidTexts = {
  insufficient_funds: 'decline.insufficientFunds',
  expired_card: 'decline.expiredCard',
  incorrect_cvc: 'decline.incorrectCvc',
  authentication_failed: 'decline.authenticationFailed',
  authentication_expired: 'decline.authenticationExpired',
  card_declined: 'decline.cardDeclined',
  processing_failed: 'decline.processingFailed',
} as const satisfies Record<string, TextKey>;

export type UnpaidReason = keyof typeof unpaidTexts;

/**
 * Why a payment was not paid, as far as its payer may know: neither which block rule declined it, nor that a card is
 * reported lost. Null if it was paid or its outcome is pending.
 */
export function unpaidReasonOf({
  status,
  subStatus,
  failureCode,
}: {
  status: string;
  subStatus: string | null;
  failureCode: string | null;
}): UnpaidReason | null {
  if (status === 'failed')
    return subStatus === 'authentication_expired' ? 'authentication_expired' : 'processing_failed';
  if (status !== 'declined') return null;
  switch (failureCode) {
    case 'insufficient_funds':
    case 'expired_card':
    case 'incorrect_cvc':
    case 'authentication_failed':
      return failureCode;
    default:
      return 'card_declined';
  }
}
