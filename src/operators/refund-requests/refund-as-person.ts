import type { SessionCaller } from '../../auth/caller.ts';
import { assertFreshSecondFactor } from '../../auth/second-factor.ts';
import type { TenantContext } from '../../call/context.ts';
import { lockRow } from '../../database/lock-row.ts';
import {
  type CommittedWithIntent,
  type ModificationResult,
  type PaymentWithTransactions,
  readPayment,
  refundForPerson,
} from '../../domains/payments/public.ts';
import { Conflict } from '../../lib/errors.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { write } from '../../unit-of-work/write.ts';
import { expireRequestsOf } from './end-refund-request.ts';
import { refundableWithoutApproval } from './limits.ts';
import { addRequest, auditedRequest, type RefundRequestRow } from './refund-request-rows.ts';

interface Requested {
  paymentId: string;
  amount: number;
  cancelSubscription?: boolean | null | undefined;
  reason: string;
}

/**
 * Stores a user's request for a refund, of an amount that can be refunded now. A payment has at most one pending
 * request, so that the approver sees the whole requested amount. The key of the call is that of the refund.
 */
async function requestRefund(
  own: TenantContext,
  requester: SessionCaller,
  { paymentId, amount, cancelSubscription, reason }: Requested,
): Promise<PaymentWithTransactions & { refund: null; request: RefundRequestRow }> {
  await expireRequestsOf(own.services, paymentId);
  const { payment, transactions } = await readPayment(own, paymentId);
  const { partnerId, platformAccountId, mode, currency } = payment;
  return write(own, 'refundPayment', async ({ tx, now, audit }) => {
    await lockRow(tx, 'payments', paymentId);
    const waiting = await tx.refundRequest.findFirst({ where: { paymentId, status: 'pending' } });
    if (waiting)
      throw new Conflict(
        'already_exists',
        'A refund of this payment is already awaiting approval: approve, reject or withdraw it first.',
        { requestId: waiting.id },
      );
    const request = await addRequest(
      { tx, now },
      {
        partnerId,
        platformAccountId,
        mode,
        paymentId,
        amount,
        currency,
        cancelSubscription: cancelSubscription ?? false,
        reason,
        requestedBy: requester.userId,
        requestedByEmail: requester.email,
        requestedByPartner: requester.whitelabelOwnership !== null,
      },
    );
    for (const row of auditsOnBehalf(own, paymentId, null, auditedRequest(request))) audit(row);
    return { payment, transactions, refund: null, request };
  });
}

interface RequestedRefund {
  paymentId?: string | null | undefined;
  amount?: number | null | undefined;
  cancelSubscription?: boolean | null | undefined;
  /** The refunded amount that the user saw. Not compared if absent. */
  refundedBefore?: number | null | undefined;
}

/** The result of a user's refund: a refund, or a request that waits for a second user. */
export type PersonsRefundResult = ModificationResult & { request?: RefundRequestRow | null };

/**
 * Refunds a payment for a person. From the limit of its currency on, the refund becomes a request that a second person
 * must approve. This is decided under the payment's lock, so that concurrent refunds are not each below the limit. An
 * idempotency key belongs to the refund or request of its first call.
 */
export async function refundOrRequest(
  own: TenantContext,
  requester: SessionCaller,
  refund: RequestedRefund,
  reason: string,
): Promise<PersonsRefundResult> {
  const { amount, cancelSubscription, refundedBefore } = refund;
  const paymentId = refund.paymentId ?? '';
  try {
    return await refundForPerson(
      own,
      { paymentId, amount, cancelSubscription },
      { operation: 'refundPayment', requestedBy: requester.userId, withIntent: checksOf(own, refundedBefore) },
    );
  } catch (error) {
    if (!(error instanceof NeedsSecondPerson)) throw error;
    assertFreshSecondFactor(own.services, requester);
    return requestRefund(own, requester, { paymentId, amount: error.amount, cancelSubscription, reason });
  }
}

function checksOf({ services }: TenantContext, refundedBefore: number | null | undefined): CommittedWithIntent {
  return {
    async assert(client, { payment, transaction }) {
      const amount = Number(transaction.amount);
      // The reserved amount of the payment includes this refund.
      const refunded = Number(payment.refundedAmount) + Number(payment.reservedAmount) - amount;
      if (typeof refundedBefore === 'number' && refunded !== refundedBefore)
        throw new Conflict('invalid_state', 'The refunded amount changed (invalid_state). Read the payment again.', {
          refunded,
        });
      const alone = await refundableWithoutApproval(client, payment, services.clock.earliestReal());
      if (alone !== null && amount > alone) throw new NeedsSecondPerson(amount);
    },
    parts: () => [],
  };
}

/** Turns a refund into a request. It is not returned: the call continues with the request. */
class NeedsSecondPerson extends Conflict {
  readonly amount: number;

  constructor(amount: number) {
    super('second_person_required', 'A refund of this amount needs a second person (second_person_required).');
    this.amount = amount;
  }
}
