import { sql } from '../../database/sql.ts';
import { type PaymentWithTransactions, readPayment } from '../../domains/payments/public.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { expireRequestsOf } from './expire-refund-requests.ts';
import type { Requester } from './policy.ts';
import { auditedRequest, type RefundRequestRow, validMs } from './refund-request-rows.ts';

interface Asked {
  paymentId: string;
  amount: number;
  cancelSubscription?: boolean | null | undefined;
  reason: string;
}

/**
 * Stores that a person asks for a refund, of an amount that can be refunded now. Of one payment one request waits at a
 * time, so that the approver sees all that is asked for. The key of the call is that of the refund.
 */
export async function requestRefund(
  own: KeyContext,
  requester: Requester,
  { paymentId, amount, cancelSubscription, reason }: Asked,
): Promise<PaymentWithTransactions & { refund: null; request: RefundRequestRow }> {
  await expireRequestsOf(own.services, paymentId);
  const { payment, transactions } = await readPayment(own, paymentId);
  const { partnerId, platformAccountId, mode, currency } = payment;
  return write(own, 'refundPayment', async ({ tx, now, audit }) => {
    await tx.$queryRaw(sql`
      SELECT id
      FROM payments
      WHERE id = ${paymentId}
      FOR NO KEY UPDATE`);
    const waiting = await tx.refundRequest.findFirst({ where: { paymentId, status: 'pending' } });
    if (waiting)
      throw new Conflict(
        'already_exists',
        'A refund of this payment waits for a second person already: approve, reject or withdraw it first.',
        { requestId: waiting.id },
      );
    const request = await tx.refundRequest.create({
      data: {
        id: newId('rreq_', now),
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
        expiresAt: new Date(now.getTime() + validMs),
        createdAt: now,
        updatedAt: now,
      },
    });
    for (const row of auditsOnBehalf(own, paymentId, null, auditedRequest(request))) audit(row);
    return { payment, transactions, refund: null, request };
  });
}
