import type { SessionContext } from '../../call/context.ts';
import { constant, sql } from '../../database/sql.ts';
import { actOnBehalf } from '../../graph/by-caller.ts';
import { assertMay, type Refusal, type Requester, refusalToDecide, refusalToWithdraw } from '../../iam/public.ts';
import { claimDue, claimedIsDone, dueColumns, mayRetry, notSaturated } from '../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../jobs/run-due-rows.ts';
import type { Services } from '../../services.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { jobWriter, write } from '../../unit-of-work/write.ts';
import {
  assertWaits,
  auditedRequest,
  decideRequest,
  expireRequest,
  findRefundRequest,
  lockRefundRequest,
  noSuchRefundRequest,
  type RefundRequestRow,
  requesterOf,
} from './refund-request-rows.ts';

interface Requested {
  requestId: string;
  reason: string;
}

/** Rejects a request of another person. Nothing is refunded. */
export function rejectRefundRequest(context: SessionContext, requested: Requested): Promise<RefundRequestRow> {
  return end(context, requested, {
    action: 'rejectRefundRequest',
    status: 'rejected',
    refusal: (requester) => refusalToDecide(context.caller, requester),
  });
}

/** Withdraws the caller's own request. Nothing is refunded. */
export function withdrawRefundRequest(context: SessionContext, requested: Requested): Promise<RefundRequestRow> {
  return end(context, requested, {
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
  { requestId, reason }: Requested,
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
    write(own, action, async ({ tx, now, earliest, audit }) => {
      assertWaits(await lockRefundRequest(tx, requestId), earliest);
      const ended = await decideRequest({ tx, now }, requestId, status, {
        decidedBy: caller.userId,
        decidedByEmail: caller.email,
        reason,
      });
      for (const row of auditsOnBehalf(own, ended.paymentId, { status: 'pending' }, auditedRequest(ended))) audit(row);
      return ended;
    }),
  );
}

const batchMax = 200;
const job = 'expire-refund-requests';
const never = new AbortController().signal;

/**
 * Ends the requests that were not decided in time, a few of each account concurrently, and returns how many were ended.
 */
export function expireRefundRequests(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Due>({
    lease: (full) => leaseOverdue(services, full),
    async run({ id, platformAccountId }) {
      const isExpired = await expire(services, id, platformAccountId);
      await claimedIsDone(services.pool, job, id);
      return isExpired;
    },
    failed: (error, { id: requestId }) =>
      services.log.warn({ err: error, requestId }, 'A request of a refund could not be ended yet.'),
    stopping,
  });
}

function leaseOverdue({ pool, clock }: Services, full: Saturated): Promise<Due[]> {
  const now = clock.real();
  const due = sql`
    SELECT ${dueColumns('r')}
    FROM refund_requests r
    WHERE r.status = 'pending' AND r."expiresAt" <= ${clock.earliest()}
      AND ${notSaturated(full, 'r')}
      AND ${mayRetry(job, sql`r.id`, now)}
    ORDER BY r."expiresAt"
    LIMIT ${constant(batchMax)}`;
  return claimDue(pool, job, due, now);
}

/** The same for the requests of one payment, immediately. */
export async function expireRequestsOf(services: Services, paymentId: string): Promise<number> {
  const overdue = await services.prisma.refundRequest.findMany({
    where: { paymentId, status: 'pending', expiresAt: { lte: services.clock.earliest() } },
    select: { id: true, platformAccountId: true },
  });
  let count = 0;
  for (const { id, platformAccountId } of overdue) if (await expire(services, id, platformAccountId)) count++;
  return count;
}

function expire(services: Services, id: string, lockQueue: string | null): Promise<boolean> {
  const now = services.clock.earliest();
  return write({ ...jobWriter(services, job, now), lockQueue }, 'expireRefundRequest', async ({ tx, audit }) => {
    const request = await expireRequest(tx, id, now);
    if (!request) return false;
    audit({
      action: 'expireRefundRequest',
      target: request.paymentId,
      before: { status: 'pending' },
      after: auditedRequest(request),
      mode: request.mode,
      partnerId: request.partnerId,
    });
    return true;
  });
}
