import { tenantOf } from '../../auth/tenancy.ts';
import type { Dispute } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';

export async function readDispute(context: KeyContext, disputeId: string): Promise<Dispute> {
  const dispute = await context.services.prisma.dispute.findFirst({
    where: { ...tenantOf(context.caller), id: disputeId },
  });
  if (!dispute) throw new NotFound('There is no such dispute.');
  return dispute;
}
