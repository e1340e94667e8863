import type { SessionContext } from '../../graph/context.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
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
