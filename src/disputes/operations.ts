import { type Reach, tenantOf } from '../auth/tenancy.ts';
import type { Dispute } from '../generated/prisma/client.ts';
import type { Context, KeyContext } from '../graph/context.ts';
import { date, is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { NotFound } from '../kit/errors.ts';
import type { DisputeFilters } from './schema.ts';

export { receiveDispute } from './receive-dispute.ts';

const disputeList: ListDefinition<typeof DisputeFilters.$inferInput> = {
  table: 'disputes',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    paymentId: is('paymentId'),
    storeId: oneOf('storeId'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listDisputes(
  context: KeyContext,
  args: ListArguments<typeof DisputeFilters.$inferInput>,
): Promise<Page<Dispute>> {
  return listDisputesWithin(context, context.caller, args);
}

/** The same list for whoever else looks at disputes. */
export function listDisputesWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<typeof DisputeFilters.$inferInput>,
): Promise<Page<Dispute>> {
  return readList(env.pool, reach, disputeList, args);
}

export async function readDispute(context: KeyContext, disputeId: string): Promise<Dispute> {
  const dispute = await context.env.prisma.dispute.findFirst({ where: { ...tenantOf(context.caller), id: disputeId } });
  if (!dispute) throw new NotFound('There is no such dispute.');
  return dispute;
}
