import type { SessionContext } from '../../call/context.ts';
import { constant, sql } from '../../database/sql.ts';
import { type Due, type Full, runAtOnce } from '../../jobs/at-once.ts';
import { notPutOff, ofOthers, takeDue, takenIsDone } from '../../jobs/due-rows.ts';
import type { Services } from '../../services.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { type Writer, write } from '../../unit-of-work/write.ts';
import { actOnBehalf } from '../operators/public.ts';
import { type Refusal, type Requester, refusalToDecide, refusalToWithdraw } from './policy.ts';
import {
  assertMay,
  assertWaits,
  auditedRequest,
  findRefundRequest,
  lockRefundRequest,
  noSuchRefundRequest,
  type RefundRequestRow,
  requesterOf,
} from './refund-request-rows.ts';

interface Asked {
  requestId: string;
  reason: string;
}

/** Rejects a request of another person. Nothing is refunded. */
export function rejectRefundRequest(context: SessionContext, asked: Asked): Promise<RefundRequestRow> {
  return end(context, asked, {
    action: 'rejectRefundRequest',
    status: 'rejected',
    refusal: (requester) => refusalToDecide(context.caller, requester),
  });
}

/** Withdraws a request of one's own. Nothing is refunded. */
export function withdrawRefundRequest(context: SessionContext, asked: Asked): Promise<RefundRequestRow> {
  return end(context, asked, {
    action: 'withdrawRefundRequest',
    status: 'withdrawn',
    refusal: (requester) => refusalToWithdraw(context.caller, requester),
  });
}

interface End {
  action: string;
  status: 'rejected' | 'withdrawn';
  refusal(requester: Requester): Refusal;
}

async function end(
  context: SessionContext,
  { requestId, reason }: Asked,
  { action, status, refusal }: End,
): Promise<RefundRequestRow> {
  const { caller } = context;
  const found = await findRefundRequest(context, requestId);
  const find = async (): Promise<RefundRequestRow> => {
    if (!found) throw noSuchRefundRequest();
    assertMay(refusal(requesterOf(found)));
    return found;
  };
  return actOnBehalf(context, { action, target: found?.paymentId ?? requestId, reason }, find, (own) =>
    write(own, action, async ({ tx, now, passed, audit }) => {
      assertWaits(await lockRefundRequest(tx, requestId), passed);
      const ended = await tx.refundRequest.update({
        where: { id: requestId },
        data: {
          status,
          decidedBy: caller.userId,
          decidedByEmail: caller.email,
          decisionReason: reason,
          decidedAt: now,
          updatedAt: now,
        },
      });
      for (const row of auditsOnBehalf(own, ended.paymentId, { status: 'pending' }, auditedRequest(ended))) audit(row);
      return ended;
    }),
  );
}

const batchMax = 200;
const job = 'expire-refund-requests';
const never = new AbortController().signal;

/** Ends the requests that were not decided in time, a few of each account at once, and returns how many were ended. */
export function expireRefundRequests(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runAtOnce<Due>({
    lease: (full) => leaseOverdue(services, full),
    async run({ id, platformAccountId }) {
      const isExpired = await expire(services, id, platformAccountId);
      await takenIsDone(services.pool, job, id);
      return isExpired;
    },
    failed: (error, { id: requestId }) =>
      services.log.warn({ err: error, requestId }, 'A request of a refund could not be ended yet.'),
    stopping,
  });
}

function leaseOverdue({ pool, clock }: Services, full: Full): Promise<Due[]> {
  const now = clock.real();
  const due = sql`
    SELECT r.id, r."platformAccountId", NULL AS "processorId"
    FROM refund_requests r
    WHERE r.status = 'pending' AND r."expiresAt" <= ${clock.passed()}
      AND ${ofOthers(full, sql`r."platformAccountId"`, sql`NULL`)}
      AND ${notPutOff(job, sql`r.id`, now)}
    ORDER BY r."expiresAt"
    LIMIT ${constant(batchMax)}`;
  return takeDue(pool, job, due, now);
}

/** The same for the requests of one payment, at once. */
export async function expireRequestsOf(services: Services, paymentId: string): Promise<number> {
  const overdue = await services.prisma.refundRequest.findMany({
    where: { paymentId, status: 'pending', expiresAt: { lte: services.clock.passed() } },
    select: { id: true, platformAccountId: true },
  });
  let count = 0;
  for (const { id, platformAccountId } of overdue) if (await expire(services, id, platformAccountId)) count++;
  return count;
}

function expire(services: Services, id: string, tenant: string | null): Promise<boolean> {
  const now = services.clock.passed();
  return write({ ...writerOf(services, now), tenant }, 'expireRefundRequest', async ({ tx, audit }) => {
    const [request] = await tx.refundRequest.updateManyAndReturn({
      where: { id, status: 'pending', expiresAt: { lte: now } },
      data: { status: 'expired', updatedAt: now },
    });
    if (!request) return false;
    audit({
      action: 'expireRefundRequest',
      target: request.paymentId,
      before: { status: 'pending' },
      after: auditedRequest(request),
      mode: request.mode,
    });
    return true;
  });
}

function writerOf(services: Services, now: Date): Writer {
  return {
    services,
    actor: { kind: 'system', id: job },
    requestId: `job_${job}_${now.getTime()}`,
    ip: null,
    idempotency: null,
    replayed: false,
  };
}
