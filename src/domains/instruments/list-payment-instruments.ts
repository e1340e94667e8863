import type { Visibility } from '../../auth/tenancy.ts';
import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { InstrumentFilters } from './inputs.ts';

type Filters = typeof InstrumentFilters.$inferInput;

const instrumentList: ListDefinition<Filters> = {
  table: 'payment_instruments',
  sorts: { createdAt: 'createdAt' },
  filters: {
    customerId: is('customerId'),
    isActive: is('isActive'),
    storeId: oneOf('storeId'),
    fingerprint: is('fingerprint'),
    platformAccountId: is('platformAccountId'),
  },
  counted: true,
};

export function listPaymentInstruments(
  context: KeyContext,
  args: ListArguments<Filters>,
): Promise<Page<PaymentInstrument>> {
  return listPaymentInstrumentsWithin(context, context.caller, args);
}

/** The same list for another visibility, such as that of an operator. */
export function listPaymentInstrumentsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<PaymentInstrument>> {
  return readList(services.pool, visibility, instrumentList, args);
}
