import { tenantOf, type Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import type { Dispute } from '../../generated/prisma/client.ts';
import { NotFound } from '../../lib/errors.ts';
import { date, is, oneOf } from '../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import type { DisputeFilters } from './types.ts';

type Filters = typeof DisputeFilters.$inferInput;

export const disputeList: ListDefinition<Filters> = {
  table: 'disputes',
  sorts: { createdAt: 'createdAt', evidenceDueAt: 'evidenceDueAt' },
  sortsOverAll: ['evidenceDueAt'],
  filters: {
    status: oneOf('status'),
    paymentId: is('paymentId'),
    storeId: oneOf('storeId'),
    createdAt: date('createdAt'),
    evidenceDueAt: date('evidenceDueAt'),
    reason: oneOf('reason'),
    processorId: oneOf('processorId'),
    platformAccountId: is('platformAccountId'),
  },
  counted: true,
};

export function listDisputes(context: KeyContext, args: ListArguments<Filters>): Promise<Page<Dispute>> {
  return listDisputesWithin(context, context.caller, args);
}

/** The same list for a caller without an API key. */
export function listDisputesWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<Dispute>> {
  return readList(services.pool, visibility, disputeList, args);
}

export async function readDispute(context: KeyContext, disputeId: string): Promise<Dispute> {
  const dispute = await context.services.prisma.dispute.findFirst({
    where: { ...tenantOf(context.caller), id: disputeId },
  });
  if (!dispute) throw new NotFound('There is no such dispute.');
  return dispute;
}
