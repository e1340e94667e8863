import type { PeopleVisibility } from '../../auth/tenancy.ts';
import type { Context } from '../../call/context.ts';
import type { CardTestingAlert, PaymentInstrument as InstrumentRow } from '../../generated/prisma/client.ts';
import { bool, dates, exactly, id, ids, listOf } from '../../lists/list-of.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { PaymentInstrument } from './types.ts';

export const paymentInstruments = listOf('PaymentInstrument', PaymentInstrument, (row: InstrumentRow) => row, {
  of: 'payment instruments',
  table: 'payment_instruments',
  sorts: { createdAt: 'createdAt' },
  aboutFilters:
    'Filters for a list of payment instruments. A payment instrument is returned only if it matches every filter ' +
    'given.',
  filters: {
    customerId: id('Returns payment instruments of this customer, prefix `cus_`.'),
    isActive: bool('True returns only payment instruments that can be charged, false only deleted ones.'),
    storeId: ids('Returns payment instruments of any of these stores, prefix `store_`.'),
    fingerprint: exactly('ShortText', 'Returns the payment instruments of the card with this fingerprint.'),
    platformAccountId: id('Returns payment instruments of this processing account, prefix `tpa_`.'),
    createdAt: dates('Compares the time at which the payment instrument was created.', { forPeople: true }),
  },
  counted: true,
  forPeople: true,
});

const alertList: ListDefinition<Record<string, never>> = {
  table: 'card_testing_alerts',
  sorts: { createdAt: 'createdAt' },
  filters: {},
};

/** The refused enumerations of card numbers, newest first. */
export function listCardTestingAlerts(
  { services }: Context,
  visibility: PeopleVisibility,
  args: ListArguments<Record<string, never>>,
): Promise<Page<CardTestingAlert>> {
  return readList(services.pool, visibility, alertList, args);
}
