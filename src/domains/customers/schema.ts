import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { createCustomer, updateCustomer } from './change-customer.ts';
import { customers } from './customer-list.ts';
import { deleteCustomer } from './delete-customer.ts';
import { CreateCustomerInput, UpdateCustomerInput } from './inputs.ts';
import { Customer } from './types.ts';

builder.queryFields((t) => ({
  customer: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: Customer,
    description: 'Returns a customer. 404 if the customer is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { customerId: t.arg.id({ required: true, description: 'The customer to return, prefix `cus_`.' }) },
    resolve: (query, _root, { customerId }, context) => visible(context, 'customer', customerId, query),
  }),
  customers: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    customers.field(
      'Returns a page of the customers visible to the API key: those of the account of a sub-key, or of all accounts ' +
        'of the partner in the mode of a partner key. The newest come first by default.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All customers if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  createCustomer: t.withAuth({ key: true }).field({
    type: Customer,
    description:
      'Creates a customer in a store. If a customer of the store has the email address already, returns that ' +
      'customer unchanged; 409 `already_exists` if `testClockId` names a test clock that the customer is not on.',
    args: { input: t.arg({ type: CreateCustomerInput, required: true, description: 'The customer to create.' }) },
    resolve: (_root, { input }, context) => createCustomer(context, input),
  }),
  updateCustomer: t.withAuth({ key: true }).field({
    type: Customer,
    description:
      'Updates the given fields of a customer and leaves the others unchanged. 404 if the customer is not visible to ' +
      'the API key.',
    args: {
      customerId: t.arg.id({ required: true, description: 'The customer to update, prefix `cus_`.' }),
      input: t.arg({ type: UpdateCustomerInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { customerId, input }, context) => updateCustomer(context, customerId, input),
  }),
  deleteCustomer: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a customer: erases email address, names, telephone number, addresses, tags and metadata, in its ' +
      'events and payments as well, and deletes its payment instruments, whose numbers are erased an hour later. ' +
      'Payments, orders and the ledger keep the identifier. A deleted customer is read as before, with a pseudonym ' +
      'for `email`, and cannot be changed or used: 409 `invalid_state`. 409 `invalid_state` while a subscription is ' +
      'not canceled or a payment is pending. Deleting it again changes nothing. 404 if the customer is not visible ' +
      'to the API key.',
    args: { customerId: t.arg.id({ required: true, description: 'The customer to delete, prefix `cus_`.' }) },
    resolve: (_root, { customerId }, context) => deleteCustomer(context, customerId),
  }),
}));
