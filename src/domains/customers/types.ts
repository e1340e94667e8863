import type { Customer as CustomerRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { Address, storedColumn } from '../../graph/shared-types.ts';
import { storeNameOf } from '../stores/public.ts';

/** A customer, with the name of its store if the statement that read it selected the name. */
export type CustomerRow = CustomerRecord & { storeName?: string };

export const Customer = builder.prismaObject('Customer', {
  description: 'A person who buys at a store. Within a store, an email address belongs to one customer.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the customer, prefix `cus_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store that the customer belongs to, prefix `store_`.' }),
    storeName: t.string({
      description: 'The name of the store that the customer belongs to.',
      resolve: (customer: CustomerRow, _args, context) => customer.storeName ?? storeNameOf(context, customer.storeId),
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the customer belongs to, prefix `tpa_`.',
    }),
    email: t.expose('email', { type: 'Email', description: 'The email address of the customer, as it was given.' }),
    firstName: t.exposeString('firstName', {
      nullable: true,
      description: 'The given name of the customer. Null if not set.',
    }),
    lastName: t.exposeString('lastName', {
      nullable: true,
      description: 'The family name of the customer. Null if not set.',
    }),
    phone: t.exposeString('phone', {
      nullable: true,
      description: 'The telephone number of the customer. Null if not set.',
    }),
    tags: t.expose('tags', { type: ['Tag'], description: 'Labels of the form `<key>:<value>`.' }),
    billingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'The billing address of the customer. Null if not set.',
      // written from AddressInput only
      ...storedColumn('billingAddress'),
    }),
    shippingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'The shipping address of the customer. Null if not set.',
      // written from AddressInput only
      ...storedColumn('shippingAddress'),
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value pairs stored with the customer.' }),
    lastOrderId: t.exposeID('lastOrderId', {
      nullable: true,
      description: 'The latest order of the customer, prefix `ord_`. Null if the customer has none.',
    }),
    paymentInstrumentCardLast4: t.exposeString('paymentInstrumentCardLast4', {
      nullable: true,
      description: 'The last four digits of the card of the default payment instrument. Null if the customer has none.',
    }),
    testClockId: t.exposeID('testClockId', {
      nullable: true,
      description: 'The test clock whose time applies to the customer, prefix `clock_`. Null if real time applies.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the customer was deleted and its personal data erased: `email` is a pseudonym then. Null ' +
        'for the others.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (customer) => customer.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the customer was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the customer last changed.' }),
  }),
});
