import { AddressInput } from '../graph/address.ts';
import { builder } from '../graph/builder.ts';
import { DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createCustomer, listCustomers, readCustomer, updateCustomer } from './operations.ts';
import { Customer } from './types.ts';

const CustomerPage = pageType('CustomerPage', Customer, 'customers');
const CustomerSort = sortInput('CustomerSort', ['createdAt', 'email', 'firstName', 'lastName']);

export const CustomerFilters = builder.inputType('CustomerFilters', {
  description: 'Which customers. All that are given must hold.',
  fields: (t) => ({
    email: t.field({ type: TextFilter, description: 'The e-mail address.' }),
    firstName: t.field({ type: TextFilter, description: 'The given name.' }),
    lastName: t.field({ type: TextFilter, description: 'The family name.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    tags: t.field({ type: ['Tag'], description: 'At least one of these tags.' }),
  }),
});

export const CreateCustomerInput = builder.inputType('CreateCustomerInput', {
  description: 'A customer to add to a store.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores.',
    }),
    email: t.field({
      type: 'Email',
      required: true,
      description: 'E-mail address; the existing customer of the store comes back unchanged when it is taken.',
    }),
    firstName: t.field({ type: 'Name', description: 'Given name.' }),
    lastName: t.field({ type: 'Name', description: 'Family name.' }),
    phone: t.field({ type: 'ShortText', description: 'Telephone number.' }),
    tags: t.field({ type: ['Tag'], description: 'At most 50 labels of the form `<key>:<value>`.' }),
    billingAddress: t.field({ type: AddressInput, description: 'Where bills go.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'Where goods go.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
    testClockId: t.string({
      description:
        'A test clock of the account, prefix `clock_`: the customer and all that is theirs live by its time. Only at creation: a customer who is there already comes back with the clock they have, or none. Test mode only.',
    }),
  }),
});

export const UpdateCustomerInput = builder.inputType('UpdateCustomerInput', {
  description: 'What to change. What is left out stays; null removes.',
  fields: (t) => ({
    email: t.field({
      type: 'Email',
      description: 'E-mail address; 409 `already_exists` when another customer of the store has it.',
    }),
    firstName: t.field({ type: 'Name', description: 'Given name.' }),
    lastName: t.field({ type: 'Name', description: 'Family name.' }),
    phone: t.field({ type: 'ShortText', description: 'Telephone number.' }),
    tags: t.field({ type: ['Tag'], description: 'At most 50 labels; replaces all of them.' }),
    billingAddress: t.field({ type: AddressInput, description: 'Where bills go; replaces the whole address.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'Where goods go; replaces the whole address.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes; replaces all of them.' }),
  }),
});

builder.queryFields((t) => ({
  customer: t.withAuth({ key: true }).field({
    type: Customer,
    description: 'One customer. 404 when it is not within the reach of the key.',
    args: { customerId: t.arg.string({ required: true, description: 'Identifier, prefix `cus_`.' }) },
    resolve: (_root, { customerId }, context) => readCustomer(context, customerId),
  }),
  customers: t.withAuth({ key: true }).field({
    type: CustomerPage,
    description:
      "The customers of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...cursorArguments,
      sortBy: t.arg({ type: CustomerSort, description: 'The order.' }),
      filters: t.arg({ type: CustomerFilters, description: 'Which customers.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listCustomers(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createCustomer: t.withAuth({ key: true }).field({
    type: Customer,
    description: 'Adds a customer to a store, or gives the one that has the e-mail address already, unchanged.',
    args: { input: t.arg({ type: CreateCustomerInput, required: true, description: 'The customer.' }) },
    resolve: (_root, { input }, context) => createCustomer(context, input),
  }),
  updateCustomer: t.withAuth({ key: true }).field({
    type: Customer,
    description: 'Changes what is named and leaves the rest.',
    args: {
      customerId: t.arg.string({ required: true, description: 'Identifier, prefix `cus_`.' }),
      input: t.arg({ type: UpdateCustomerInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { customerId, input }, context) => updateCustomer(context, customerId, input),
  }),
}));
