import type { ModificationOutcome } from '../../ports/card-processor.ts';
import { nextState, type PaymentTrigger, stateColumns } from './lifecycle.ts';
import type { PaymentRow, TransactionRow } from './payment-rows.ts';
import { isPastHold } from './policy.ts';

/** The rows that the outcome of a capture, void or refund changes, as they are afterwards. */
export interface ModificationEnd {
  payment: PaymentRow;
  transaction: TransactionRow;
  refundStatus: 'succeeded' | 'failed' | null;
  /** The event of the change; null if the state of the payment is as before. */
  event: 'payment/captured' | 'payment/voided' | 'payment/refunded' | 'payment/failed' | null;
  journalEntry: 'capture' | 'refund' | null;
}

/** Applies the outcome of a modification to a payment and its transaction. Pure: called under the payment's lock. */
export function modificationEndOf(
  payment: PaymentRow,
  transaction: TransactionRow,
  outcome: ModificationOutcome,
  now: Date,
): ModificationEnd {
  const done = outcome.result === 'approved';
  const closed: TransactionRow = {
    ...transaction,
    status: done ? 'succeeded' : 'failed',
    processorReference: outcome.processorReference,
    failureCode: done ? null : 'processing_error',
    updatedAt: now,
  };
  const amount = Number(transaction.amount);
  const end = { transaction: closed, refundStatus: null, event: null, journalEntry: null } as const;
  switch (transaction.type) {
    case 'capture':
      if (!done) return { ...end, payment: applyTrigger(payment, 'modificationFailed', now) };
      return {
        ...end,
        payment: incrementSequence({
          ...applyTrigger(payment, 'captured', now),
          capturedAmount: amount,
          authorizationExpiresAt: null,
        }),
        event: 'payment/captured',
        journalEntry: 'capture',
      };
    case 'void':
      // An authorization past its time has expired, also if the processor rejects the void.
      if (isPastHold(payment, transaction.createdAt))
        return {
          ...end,
          payment: incrementSequence({
            ...applyTrigger(payment, 'authorizationExpired', now),
            failureMessage: 'The authorization was not captured in time.',
          }),
          event: 'payment/failed',
        };
      if (!done) return { ...end, payment: applyTrigger(payment, 'modificationFailed', now) };
      return {
        ...end,
        payment: incrementSequence({ ...applyTrigger(payment, 'voided', now), voidedAt: now }),
        event: 'payment/voided',
      };
    case 'refund': {
      const released = { ...payment, reservedAmount: Number(payment.reservedAmount) - amount };
      if (!done) return { ...end, payment: { ...released, updatedAt: now }, refundStatus: 'failed' };
      const refundedAmount = Number(payment.refundedAmount) + amount;
      const trigger = refundedAmount === Number(payment.capturedAmount) ? 'fullyRefunded' : 'partlyRefunded';
      return {
        ...end,
        payment: incrementSequence({ ...applyTrigger(released, trigger, now), refundedAmount }),
        refundStatus: 'succeeded',
        event: 'payment/refunded',
        journalEntry: 'refund',
      };
    }
    default:
      throw new Error(`A ${transaction.type} is not a modification.`);
  }
}

export function applyTrigger(payment: PaymentRow, trigger: PaymentTrigger, now: Date): PaymentRow {
  const state = nextState(payment, trigger);
  if (!state)
    throw new Error(`${trigger} is not allowed for a payment that is ${payment.status}/${payment.subStatus}.`);
  return { ...payment, ...stateColumns[state], updatedAt: now };
}

export function incrementSequence(payment: PaymentRow): PaymentRow {
  return { ...payment, sequence: payment.sequence + 1 };
}
