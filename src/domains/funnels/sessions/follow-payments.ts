import { constant, sql } from '../../../database/sql.ts';
import { claimDue, claimedIsDone, dueColumns, mayRetry, notSaturated } from '../../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../../jobs/run-due-rows.ts';
import type { Services } from '../../../services.ts';
import { jobWriter, type Writer, write } from '../../../unit-of-work/write.ts';
import { countDecline } from '../../instruments/public.ts';
import { eventOfPayment } from '../graph/rules.ts';
import { moveSession } from './move-session.ts';
import { lockSession, setOrderOpen } from './rows.ts';

/**
 * Applies every final outcome of the order's payments to the order's session. An order is linked to its session before
 * a charge, so the call that charged and, after a crash, the job find the same payments. The event of each payment is
 * stored under a unique key, so that it is applied once.
 */
export function followOrder(writer: Writer, orderId: string): Promise<void> {
  return write({ ...writer, idempotency: null }, 'followOrder', async (change) => {
    const { tx } = change;
    const known = await tx.funnelOrder.findUniqueOrThrow({ where: { orderId } });
    let session = await lockSession(tx, known.sessionId);
    const payments = await tx.payment.findMany({ where: { orderId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    const recorded = await tx.funnelEvent.findMany({
      where: { paymentId: { in: payments.map(({ id }) => id) } },
      select: { paymentId: true },
    });
    const recordedIds = new Set(recorded.map(({ paymentId }) => paymentId));
    const kind = known.kind as 'checkout' | 'offer'; // a CHECK constraint limits the column to the two
    for (const payment of payments) {
      const type = recordedIds.has(payment.id) ? null : eventOfPayment(payment.status, kind);
      if (type === null) continue;
      if (payment.status === 'declined') await countDecline(change, writer.services, session.id, payment);
      await moveSession(change, session, {
        id: `payment:${payment.id}`,
        type,
        data: { paymentId: payment.id },
        stepId: known.stepId,
        variantId: known.variantId,
        payment,
      });
      session = await tx.funnelSession.findUniqueOrThrow({ where: { id: session.id } });
    }
    // After a decline the next attempt may be starting, and its payment is not visible yet, so the order stays open.
    if (payments.some(({ status }) => status !== 'pending' && status !== 'declined' && status !== 'failed'))
      await setOrderOpen(tx, orderId, false);
  });
}

const job = 'follow-funnel-payments';
/** The maximum number of orders followed concurrently. */
const followedMax = 100;

/**
 * Follows payments whose final outcome was not applied to their session: after a crash, when an outcome was resolved
 * later, or when a challenge expired. An order that cannot be followed is retried with backoff.
 */
export function followPayments(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Due>({
    lease: (full) => leaseOrders(services, full),
    async run({ id, platformAccountId }) {
      await followOrder({ ...jobWriter(services, 'follow-payments'), lockQueue: platformAccountId }, id);
      await claimedIsDone(services.pool, job, id);
    },
    failed: (error, { id: orderId }) =>
      services.log.warn({ err: error, orderId }, "An order's payment could not be followed yet."),
    stopping,
  });
}

const never = new AbortController().signal;

function leaseOrders({ pool, clock }: Services, full: Saturated): Promise<Due[]> {
  const now = clock.real();
  const due = sql`
SELECT ${dueColumns('f', sql`NULL::text`, sql`f."orderId"`)}
FROM funnel_orders f
WHERE f.open
  AND EXISTS (
    SELECT 1
    FROM payments p
    WHERE p."orderId" = f."orderId"
      AND p.status <> 'pending'
      AND NOT EXISTS (SELECT 1 FROM funnel_events e WHERE e."paymentId" = p.id)
  )
  AND ${notSaturated(full, 'f')}
  AND ${mayRetry(job, sql`f."orderId"`, now)}
ORDER BY f."createdAt"
LIMIT ${constant(followedMax)}`;
  return claimDue(pool, job, due, now);
}
