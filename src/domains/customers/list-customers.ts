import type { OperatorVisibility, Visibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Customer } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { date, type Filter, is, oneOf, overlaps, text } from '../../graph/list-filters.ts';
import { columnsRead, type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { CustomerFilters } from './inputs.ts';
import type { CustomerRow } from './types.ts';

type Filters = typeof CustomerFilters.$inferInput;

const customerList: ListDefinition<Filters> = {
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
    'mode',
    'createdAt',
    'updatedAt',
  ] satisfies (keyof Customer)[]),
  extra: { columns: sql`s.name AS "storeName"`, joins: sql`LEFT JOIN stores s ON s.id = t."storeId"` },
  sorts: { createdAt: 'createdAt', email: 'emailLower', firstName: 'firstName', lastName: 'lastName' },
  filters: {
    email: text('emailLower', { lowered: true }),
    firstName: text('firstName'),
    lastName: text('lastName'),
    createdAt: date('createdAt'),
    storeId: oneOf('storeId'),
    phone: is('phone'),
    platformAccountId: is('platformAccountId'),
    tags: overlaps('tags'),
  },
  counted: true,
  cursor: true,
};

export function listCustomers(context: KeyContext, args: ListArguments<Filters>): Promise<Page<CustomerRow>> {
  return readList(context.services.pool, context.caller, customerList, args);
}

/** Without one partner a customer is looked for in each: the indexes of what identifies one begin with the partner. */
const overAllPartners: ListDefinition<Filters> = {
  ...customerList,
  filters: {
    ...customerList.filters,
    email: inEachPartner(customerList.filters.email),
    phone: inEachPartner(customerList.filters.phone),
  },
};

function inEachPartner<Value>(filter: Filter<Value>): Filter<Value> {
  return (value, path) => sql`${filter(value, path)} AND t."partnerId" = ANY(ARRAY(SELECT p.id FROM partners p))`;
}

/** The list for an operator. */
export function customerListWithin(visibility: Visibility): ListDefinition<Filters> {
  return visibility.kind === 'operator' && visibility.partnerId === null ? overAllPartners : customerList;
}

/** The same list for an operator. */
export function listCustomersWithin(
  { services }: Context,
  visibility: OperatorVisibility,
  args: ListArguments<Filters>,
): Promise<Page<CustomerRow>> {
  return readList(services.pool, visibility, customerListWithin(visibility), args);
}
