import type { OperatorVisibility } from '../../auth/tenancy.ts';
import type { Context } from '../../graph/context.ts';
import { date, is, oneOf } from '../../graph/list-filters.ts';
import type { DateFilterValue } from '../../graph/list-inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { RefundRequestRow } from './refund-request-rows.ts';

interface Filters {
  status?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
  paymentId?: string | null | undefined;
  createdAt?: DateFilterValue | null | undefined;
}

const refundRequestList: ListDefinition<Filters> = {
  table: 'refund_requests',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    platformAccountId: is('platformAccountId'),
    paymentId: is('paymentId'),
    createdAt: date('createdAt'),
  },
};

/** The refunds that people asked for and a second person must approve, newest first. */
export function listRefundRequestsWithin(
  { services }: Pick<Context, 'services'>,
  visibility: OperatorVisibility,
  args: ListArguments<Filters>,
): Promise<Page<RefundRequestRow>> {
  return readList(services.pool, visibility, refundRequestList, args);
}
