import { Conflict } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';
import type { SubscriptionRow } from './types.ts';

/** The charge of a change that failed. `paymentId` is null if it was refused before there was a payment. */
export interface FailedCharge {
  paymentId: string | null;
  failureCode: string | null;
}

/** The failed charge of the change that a call has opened; null if it was paid, waits, or nothing was charged. */
export async function failedChange(
  { prisma }: Services,
  { pendingPaymentId: paymentId }: SubscriptionRow,
): Promise<FailedCharge | null> {
  if (paymentId === null) return null;
  const payment = await prisma.payment.findUnique({
    where: { id: paymentId },
    select: { status: true, failureCode: true },
  });
  if (payment) {
    const hasFailed = payment.status === 'declined' || payment.status === 'failed';
    return hasFailed ? { paymentId, failureCode: payment.failureCode } : null;
  }
  const period = await prisma.subscriptionPeriod.findUnique({ where: { paymentId }, select: { status: true } });
  return period?.status === 'charging' ? null : { paymentId: null, failureCode: null };
}

export function paymentFailedError({ paymentId, failureCode }: FailedCharge): Conflict {
  const why = paymentId === null ? 'was refused' : failureCode === null ? 'failed' : `failed with ${failureCode}`;
  return new Conflict(
    'payment_failed',
    `The charge of the change ${why}: the subscription is as it was.`,
    paymentId === null ? {} : { paymentId },
  );
}
