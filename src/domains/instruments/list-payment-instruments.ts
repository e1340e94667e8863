import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { InstrumentFilters } from './inputs.ts';

type Filters = typeof InstrumentFilters.$inferInput;

const instrumentList: ListDefinition<Filters> = {
  table: 'payment_instruments',
  sorts: { createdAt: 'createdAt' },
  filters: { customerId: is('customerId'), isActive: is('isActive'), storeId: oneOf('storeId') },
  counted: true,
};

export function listPaymentInstruments(
  context: KeyContext,
  args: ListArguments<Filters>,
): Promise<Page<PaymentInstrument>> {
  return readList(context.services.pool, context.caller, instrumentList, args);
}
