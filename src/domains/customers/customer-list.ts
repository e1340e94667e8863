import { isOverPartners, type Visibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Customer as CustomerRecord } from '../../generated/prisma/client.ts';
import type { Filter } from '../../lists/filters.ts';
import { dates, exactly, id, ids, listOf, tags, texts } from '../../lists/list-of.ts';
import { columnsRead, type ListDefinition } from '../../lists/read-list.ts';
import { Customer, type CustomerRow } from './types.ts';

/**
 * Without a partner in the query, customers are searched for partner by partner: the indexes begin with the partner.
 */
export function customersFor<Filters extends object>(
  usual: ListDefinition<Filters>,
  visibility: Visibility,
): ListDefinition<Filters> {
  if (!isOverPartners(visibility)) return usual;
  const { email, phone } = usual.filters as Record<string, Filter<never>>;
  return { ...usual, filters: { ...usual.filters, email: inEachPartner(email), phone: inEachPartner(phone) } };
}

function inEachPartner(filter: Filter<never> | undefined): Filter<never> {
  return (value, path) => sql`${filter?.(value, path)} AND t."partnerId" = ANY(ARRAY(SELECT p.id FROM partners p))`;
}

export const customers = listOf('Customer', Customer, (row: CustomerRow) => row, {
  of: 'customers',
  table: 'customers',
  columns: columnsRead([
    'id',
    'storeId',
    'platformAccountId',
    'email',
    'emailLower',
    'firstName',
    'lastName',
    'phone',
    'tags',
    'billingAddress',
    'shippingAddress',
    'metadata',
    'lastOrderId',
    'paymentInstrumentCardLast4',
    'testClockId',
    'deletedAt',
    'mode',
    'createdAt',
    'updatedAt',
  ] satisfies (keyof CustomerRecord)[]),
  extra: { columns: sql`s.name AS "storeName"`, joins: sql`LEFT JOIN stores s ON s.id = t."storeId"` },
  sorts: { createdAt: 'createdAt', email: 'emailLower', firstName: 'firstName', lastName: 'lastName' },
  aboutFilters: 'Filters for a list of customers. A customer is returned only if it matches every filter given.',
  filters: {
    email: texts('Compares the email address of the customer.', { column: 'emailLower', lowered: true }),
    firstName: texts('Compares the given name of the customer.'),
    lastName: texts('Compares the family name of the customer.'),
    createdAt: dates('Compares the time at which the customer was created.'),
    storeId: ids('Returns customers of any of these stores, prefix `store_`.'),
    phone: exactly('ShortText', 'Returns customers with this telephone number, as it was given.'),
    platformAccountId: id('Returns customers of this processing account, prefix `tpa_`.'),
    tags: tags('Returns customers that have at least one of these tags.'),
  },
  counted: true,
  cursor: true,
  forPeople: true,
  definitionFor: customersFor,
});
