import type { OperatorVisibility, Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { Customer } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { AddressInput } from '../../graph/shared-types.ts';
import { date, type Filter, is, oneOf, overlaps, text } from '../../lists/filters.ts';
import { DateFilter, TextFilter } from '../../lists/inputs.ts';
import { columnsRead, type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import type { CustomerRow } from './types.ts';

export const CustomerFilters = builder.inputType('CustomerFilters', {
  description: 'Filters for a list of customers. A customer is returned only if it matches every filter given.',
  fields: (t) => ({
    email: t.field({ type: TextFilter, description: 'Compares the e-mail address of the customer.' }),
    firstName: t.field({ type: TextFilter, description: 'Compares the given name of the customer.' }),
    lastName: t.field({ type: TextFilter, description: 'Compares the family name of the customer.' }),
    createdAt: t.field({ type: DateFilter, description: 'Compares the time at which the customer was created.' }),
    storeId: t.idList({ description: 'Returns customers of any of these stores, prefix `store_`.' }),
    phone: t.field({
      type: 'ShortText',
      description: 'Returns customers with this telephone number, as it was given.',
    }),
    platformAccountId: t.id({ description: 'Returns customers of this processing account, prefix `tpa_`.' }),
    tags: t.field({ type: ['Tag'], description: 'Returns customers that have at least one of these tags.' }),
  }),
});

export const CreateCustomerInput = builder.inputType('CreateCustomerInput', {
  description: 'The customer to create.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store to create the customer in, prefix `store_`. Required with a partner key, and with a sub-key whose ' +
        'account has several stores. Defaults to the only store of the account.',
    }),
    email: t.field({
      type: 'Email',
      required: true,
      description:
        'The e-mail address of the customer, unique within the store regardless of case. If a customer of the store ' +
        'has it already, that customer is returned unchanged.',
    }),
    firstName: t.field({ type: 'Name', description: 'The given name of the customer.' }),
    lastName: t.field({ type: 'Name', description: 'The family name of the customer.' }),
    phone: t.field({ type: 'ShortText', description: 'The telephone number of the customer.' }),
    tags: t.field({ type: ['Tag'], description: 'Labels of the form `<key>:<value>`, at most 50.' }),
    billingAddress: t.field({ type: AddressInput, description: 'The billing address of the customer.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'The shipping address of the customer.' }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value pairs to store with the customer. Defaults to an empty object.',
    }),
    testClockId: t.id({
      description:
        'A test clock of the account, prefix `clock_`, whose time applies to the customer and to all objects of the ' +
        'customer. It can be set only at creation: 409 `already_exists` if the customer with this e-mail address is ' +
        'on no test clock, or on another one. Test mode only. 404 if the account has no such test clock.',
    }),
  }),
});

export const UpdateCustomerInput = builder.inputType('UpdateCustomerInput', {
  description:
    'The fields of the customer to change. A field that is left out keeps its value; null removes the value.',
  fields: (t) => ({
    email: t.field({
      ...notNull,
      type: 'Email',
      description:
        'The e-mail address of the customer. Must not be null. 409 `already_exists` if another customer of the store ' +
        'has it.',
    }),
    firstName: t.field({ type: 'Name', description: 'The given name of the customer.' }),
    lastName: t.field({ type: 'Name', description: 'The family name of the customer.' }),
    phone: t.field({ type: 'ShortText', description: 'The telephone number of the customer.' }),
    tags: t.field({
      type: ['Tag'],
      description: 'Labels of the form `<key>:<value>`, at most 50. Replaces all tags of the customer.',
    }),
    billingAddress: t.field({
      type: AddressInput,
      description: 'The billing address of the customer. Replaces the whole address.',
    }),
    shippingAddress: t.field({
      type: AddressInput,
      description: 'The shipping address of the customer. Replaces the whole address.',
    }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value pairs to store with the customer. Replaces all metadata of the customer.',
    }),
  }),
});

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

/**
 * Without a partner in the query, customers are searched for partner by partner: the indexes begin with the partner.
 */
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
