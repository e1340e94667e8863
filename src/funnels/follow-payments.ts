import type { Env } from '../env.ts';
import type { FunnelOrder } from '../generated/prisma/client.ts';
import { write, type Writer } from '../kit/write.ts';
import { eventOfPayment } from './lifecycle.ts';
import { moveSession } from './move-session.ts';
import { lockSession } from './session-records.ts';

/*
 * A payment moves its session by what the database knows of it: the order stands with the session before anybody is charged, and
 * the payment stands with the order. Whoever looks first, the call that charged or the sweep after a crash, lets the payment's
 * end happen to the session; that it has happened is a row of its own, so that it happens once.
 */

/** Lets every payment of the order that has come to its end happen to the order's session. */
export function followOrder(writer: Writer, orderId: string): Promise<void> {
  return write({ ...writer, idempotency: null }, 'followOrder', async (change) => {
    const { tx } = change;
    const known = await tx.funnelOrder.findUniqueOrThrow({ where: { orderId } });
    let session = await lockSession(tx, known.sessionId);
    const payments = await tx.payment.findMany({ where: { orderId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    const told = new Set(
      (
        await tx.funnelEvent.findMany({
          where: { paymentId: { in: payments.map(({ id }) => id) } },
          select: { paymentId: true },
        })
      ).map(({ paymentId }) => paymentId),
    );
    const ended = payments.flatMap((payment) => {
      const type = told.has(payment.id) ? null : eventOfPayment(payment.status, known.kind as 'checkout' | 'offer'); // a CHECK constraint holds the column to the two
      return type === null ? [] : [{ payment, type }];
    });
    for (const { payment, type } of ended) {
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
    // After a decline another attempt may be about to begin, whose payment is not there to be seen yet.
    if (payments.some(({ status }) => status !== 'pending' && status !== 'declined' && status !== 'failed'))
      await tx.funnelOrder.updateMany({ where: { orderId, open: true }, data: { open: false } });
  });
}

const batchMax = 100;

/** Finds payments that came to their end without their session hearing of it: a server that died, an outcome found out later, a challenge that ran out. */
export async function followPayments(env: Env, stopping: AbortSignal = never): Promise<number> {
  const text = `SELECT f."orderId" FROM funnel_orders f WHERE f.open AND EXISTS (SELECT 1 FROM payments p WHERE p."orderId" = f."orderId" AND p.status <> 'pending' AND NOT EXISTS (SELECT 1 FROM funnel_events e WHERE e."paymentId" = p.id))
ORDER BY f."createdAt" LIMIT ${batchMax}`;
  const { rows } = await env.pool.query<Pick<FunnelOrder, 'orderId'>>({ name: 'funnel-orders-to-follow', text });
  for (const { orderId } of rows) {
    if (stopping.aborted) break;
    await followOrder(systemWriter(env, 'follow-payments'), orderId);
  }
  return rows.length;
}

const never = new AbortController().signal;

/** Sessions in which nothing has happened for a day. An hour later nobody can be about to pay in them: their orders are not looked at again. */
export async function abandonSessions({ pool, clock }: Pick<Env, 'pool' | 'clock'>): Promise<number> {
  const now = clock.now();
  const { rows } = await pool.query<{ n: number }>({
    name: 'funnel-sessions-to-abandon',
    text: abandonDue,
    values: [now],
  });
  await pool.query({ name: 'funnel-orders-to-close', text: closeOver, values: [new Date(now.getTime() - hourMs)] });
  return rows[0]?.n ?? 0;
}

const hourMs = 3_600_000;
const abandonDue = `WITH abandoned AS (UPDATE funnel_sessions SET status = 'abandoned', "updatedAt" = $1
WHERE id IN (SELECT id FROM funnel_sessions WHERE status = 'active' AND "expiresAt" <= $1 ORDER BY "expiresAt" LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED) RETURNING "funnelId", "currentStepId", "variantId"),
counted AS (INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
  SELECT "funnelId", "currentStepId", coalesce("variantId", ''), 'abandoned', pg_backend_pid() % 8, count(*) FROM abandoned GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n)
SELECT count(*) AS n FROM abandoned`;
const closeOver = `UPDATE funnel_orders f SET open = false FROM funnel_sessions s WHERE f.open AND s.id = f."sessionId" AND s."expiresAt" <= $1 AND NOT EXISTS (
  SELECT 1 FROM payments p WHERE p."orderId" = f."orderId" AND (p.status = 'pending' OR NOT EXISTS (SELECT 1 FROM funnel_events e WHERE e."paymentId" = p.id)))`;

function systemWriter(env: Env, id: string): Writer {
  return {
    env,
    actor: { kind: 'system', id },
    requestId: `job_${id}_${env.clock.now().getTime()}`,
    ip: null,
    idempotency: null,
    replayed: false,
  };
}
