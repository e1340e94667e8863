import type pg from 'pg';
import type { AlsoCommitted, ModificationResult } from '../../domains/payments/public.ts';
import { refundForPerson } from '../../domains/payments/public.ts';
import type { KeyContext, SessionContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { onPayment } from '../operators/public.ts';
import { refundableAlone } from './refund-limits.ts';
import type { RefundRequestRow } from './refund-request-rows.ts';
import { requestRefund } from './request-refund.ts';

export interface AskedRefund {
  paymentId: string;
  amount?: number | null | undefined;
  cancelSubscription?: boolean | null | undefined;
  /** What had been refunded when the person decided. Nothing is compared without it. */
  refundedBefore?: number | null | undefined;
}

/** What became of a refund that a person asked for: a refund, or a request that waits for a second person. */
export type PersonsRefundResult = ModificationResult & { request?: RefundRequestRow | null };

/**
 * Refunds a payment of any account. From the limit of its currency on, the refund becomes a request that a second
 * person must approve. Which of the two is decided under the payment's lock: refunds at the same time are not each
 * below the limit. An idempotency key belongs to whichever came of its first call.
 */
export function refundAsPerson(
  context: SessionContext,
  { reason, ...refund }: AskedRefund & { reason: string },
): Promise<PersonsRefundResult> {
  const { caller } = context;
  const act = { paymentId: refund.paymentId, reason };
  return onPayment(context, 'operatorRefundPayment', act, (own) => refundOrRequest(own, caller, refund, reason));
}

async function refundOrRequest(
  own: KeyContext,
  requester: { userId: string; email: string },
  refund: AskedRefund,
  reason: string,
): Promise<PersonsRefundResult> {
  const { paymentId, amount, cancelSubscription, refundedBefore } = refund;
  try {
    return await refundForPerson(
      own,
      { paymentId, amount, cancelSubscription },
      { operation: 'refundPayment', requestedBy: requester.userId, also: checksOf(refundedBefore) },
    );
  } catch (error) {
    if (!(error instanceof NeedsSecondPerson)) throw error;
    return requestRefund(own, requester, { paymentId, amount: error.amount, cancelSubscription, reason });
  }
}

function checksOf(refundedBefore: number | null | undefined): AlsoCommitted {
  return {
    async assert(client, { payment, transaction }) {
      const amount = Number(transaction.amount);
      // The payment has this refund among what is reserved.
      const refunded = Number(payment.refundedAmount) + Number(payment.reservedAmount) - amount;
      if (typeof refundedBefore === 'number' && refunded !== refundedBefore)
        throw new Conflict(
          'invalid_state',
          'Another amount of the payment has been refunded by now (invalid_state): look at it again.',
          { refunded },
        );
      await assertAlone(client, payment, amount);
    },
    parts: () => [],
  };
}

async function assertAlone(
  client: pg.ClientBase,
  payment: { id: string; mode: string; currency: string },
  amount: number,
): Promise<void> {
  const alone = await refundableAlone(client, payment);
  if (alone !== null && amount > alone) throw new NeedsSecondPerson(amount);
}

/** Turns a refund into a request. Not an answer: the call goes on with the request. */
class NeedsSecondPerson extends Conflict {
  readonly amount: number;

  constructor(amount: number) {
    super('second_person_required', 'A refund of this amount needs a second person (second_person_required).');
    this.amount = amount;
  }
}
