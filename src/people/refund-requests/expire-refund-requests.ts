import type { Services } from '../../services.ts';
import { type Writer, write } from '../../write/write.ts';
import { auditedRequest } from './refund-request-rows.ts';

const batchMax = 200;
const job = 'expire-refund-requests';

/** Ends the requests that were not decided in time, of one payment or of all, and returns how many were ended. */
export async function expireRefundRequests(services: Services, paymentId?: string): Promise<number> {
  const now = services.clock.passed();
  const overdue = await services.prisma.refundRequest.findMany({
    where: { status: 'pending', expiresAt: { lte: now }, ...(paymentId !== undefined && { paymentId }) },
    select: { id: true },
    orderBy: { expiresAt: 'asc' },
    take: batchMax,
  });
  let count = 0;
  for (const { id } of overdue) if (await expire(services, id, now)) count++;
  return count;
}

function expire(services: Services, id: string, now: Date): Promise<boolean> {
  return write(writerOf(services, now), 'expireRefundRequest', async ({ tx, audit }) => {
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
