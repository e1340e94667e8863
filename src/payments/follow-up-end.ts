import type { FollowUpOutcome } from '../ports/card-processor.ts';
import { nextState, type PaymentTrigger, stateColumns } from './lifecycle.ts';
import { isPastHold } from './policy.ts';
import type { PaymentRow, TransactionRow } from './types.ts';

/** Where the end of a capture, void or refund leaves everything it touches. */
export interface FollowUpEnd {
  payment: PaymentRow;
  transaction: TransactionRow;
  refundStatus: 'succeeded' | 'failed' | null;
  /** The one event of the change; null when the payment is as it was before. */
  event: 'payment/captured' | 'payment/voided' | 'payment/refunded' | 'payment/failed' | null;
  movement: 'capture' | 'refund' | null;
}

/** What the processor's word makes of a payment and of the transaction under way. Pure: called under the payment's lock. */
export function followUpEnd(
  payment: PaymentRow,
  transaction: TransactionRow,
  outcome: FollowUpOutcome,
  now: Date,
): FollowUpEnd {
  const done = outcome.result === 'approved';
  const closed: TransactionRow = {
    ...transaction,
    status: done ? 'succeeded' : 'failed',
    processorReference: outcome.processorReference,
    failureCode: done ? null : 'processing_error',
    updatedAt: now,
  };
  const amount = Number(transaction.amount);
  const end = { transaction: closed, refundStatus: null, event: null, movement: null } as const;
  switch (transaction.type) {
    case 'capture':
      if (!done) return { ...end, payment: moved(payment, 'followUpFailed', now) };
      return {
        ...end,
        payment: told({ ...moved(payment, 'captured', now), capturedAmount: amount, authorizationExpiresAt: null }),
        event: 'payment/captured',
        movement: 'capture',
      };
    case 'void':
      // Past its time a hold is over whatever the processor makes of our letting go of it.
      if (isPastHold(payment, transaction.createdAt))
        return {
          ...end,
          payment: told({
            ...moved(payment, 'authorizationExpired', now),
            failureMessage: 'The authorization was not captured in time.',
          }),
          event: 'payment/failed',
        };
      if (!done) return { ...end, payment: moved(payment, 'followUpFailed', now) };
      return { ...end, payment: told({ ...moved(payment, 'voided', now), voidedAt: now }), event: 'payment/voided' };
    case 'refund': {
      const released = { ...payment, reservedAmount: Number(payment.reservedAmount) - amount };
      if (!done) return { ...end, payment: { ...released, updatedAt: now }, refundStatus: 'failed' };
      const refundedAmount = Number(payment.refundedAmount) + amount;
      const trigger = refundedAmount === Number(payment.capturedAmount) ? 'fullyRefunded' : 'partlyRefunded';
      return {
        ...end,
        payment: told({ ...moved(released, trigger, now), refundedAmount }),
        refundStatus: 'succeeded',
        event: 'payment/refunded',
        movement: 'refund',
      };
    }
    default:
      throw new Error(`A ${transaction.type} is not a follow-up.`);
  }
}

function moved(payment: PaymentRow, trigger: PaymentTrigger, now: Date): PaymentRow {
  const state = nextState(payment, trigger);
  if (!state) throw new Error(`${trigger} may not happen to a payment that is ${payment.status}/${payment.subStatus}.`);
  return { ...payment, ...stateColumns[state], updatedAt: now };
}

function told(payment: PaymentRow): PaymentRow {
  return { ...payment, sequence: payment.sequence + 1 };
}
