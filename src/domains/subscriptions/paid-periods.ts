import type { Write } from '../../write/write.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** A paid period that has not ended, and what of its payment was given back. */
export interface PaidPeriod extends PeriodRow {
  /** What was given back in all. */
  returnedInAll: number;
  /** The part of it that no change has taken from its credit. */
  returned: number;
}

/** The paid periods of the present anchor that have not ended: the current one, and one that was charged early. */
export async function paidPeriods(
  change: Write,
  { id: subscriptionId, periodIndex, cycle, anchorAt }: SubscriptionRow,
  at: Date,
): Promise<PaidPeriod[]> {
  const paid = await change.tx.subscriptionPeriod.findMany({
    where: { subscriptionId, status: 'paid', endsAt: { gt: at } },
    orderBy: { index: 'asc' },
  });
  // Two anchors may be at the same time, but do not have the same index.
  const inForce = paid.filter(
    (period) => period.anchorAt.getTime() === anchorAt.getTime() && period.index - period.cycle === periodIndex - cycle,
  );
  const returns = await returnsOf(
    change,
    inForce.flatMap(({ paymentId }) => paymentId ?? []),
  );
  return inForce.map((period) => {
    const returnedInAll = returns.get(period.paymentId ?? '') ?? 0;
    return { ...period, returnedInAll, returned: Math.max(0, returnedInAll - Number(period.returnedAmount)) };
  });
}

/** What was refunded of payments, or is being refunded, or was lost in a dispute. */
async function returnsOf({ tx }: Write, paymentIds: string[]): Promise<Map<string, number>> {
  if (paymentIds.length === 0) return new Map();
  const payments = await tx.payment.findMany({
    where: { id: { in: paymentIds } },
    select: {
      id: true,
      currency: true,
      capturedAmount: true,
      refundedAmount: true,
      reservedAmount: true,
      disputes: { where: { status: 'lost' }, select: { amount: true, currency: true } },
    },
  });
  return new Map(
    payments.map(({ id, currency, capturedAmount, refundedAmount, reservedAmount, disputes }) => {
      // An amount in another currency cannot be compared, and takes everything.
      const lost = disputes.map((dispute) => (dispute.currency === currency ? dispute.amount : capturedAmount));
      return [id, Number(lost.reduce((sum, amount) => sum + amount, refundedAmount + reservedAmount))];
    }),
  );
}
