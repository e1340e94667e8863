import type { OperatorVisibility } from '../../auth/tenancy.ts';
import type { WithheldCharge } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { date, is, oneOf } from '../../graph/list-filters.ts';
import type { DateFilterValue } from '../../graph/list-inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';

interface Filters {
  status?: readonly string[] | null | undefined;
  reason?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
  subscriptionId?: string | null | undefined;
  createdAt?: DateFilterValue | null | undefined;
}

const withheldChargeList: ListDefinition<Filters> = {
  table: 'withheld_charges',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    reason: oneOf('reason'),
    platformAccountId: is('platformAccountId'),
    subscriptionId: is('subscriptionId'),
    createdAt: date('createdAt'),
  },
};

/** The charges that fell due while their account might not charge, newest first. */
export function listWithheldChargesWithin(
  { services }: Pick<Context, 'services'>,
  visibility: OperatorVisibility,
  args: ListArguments<Filters>,
): Promise<Page<WithheldCharge>> {
  return readList(services.pool, visibility, withheldChargeList, args);
}
