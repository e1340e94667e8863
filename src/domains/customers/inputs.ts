import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { AddressInput } from '../../graph/shared-types.ts';

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
        'The email address of the customer, unique within the store regardless of case. If a customer of the store ' +
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
        'customer. It can be set only at creation: 409 `already_exists` if the customer with this email address is ' +
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
        'The email address of the customer. Must not be null. 409 `already_exists` if another customer of the store ' +
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
