import type { Customer as CustomerRecord } from '../generated/prisma/client.ts';
import { Address } from '../graph/address.ts';
import { builder } from '../graph/builder.ts';
import { storeNameOf } from '../stores/names.ts';

/** A customer, with its store's name when the statement that read it brought it along. */
export type CustomerRow = CustomerRecord & { storeName?: string };

export const Customer = builder.prismaObject('Customer', {
  description: 'A person who buys at a store. Within a store an e-mail address stands for one customer.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `cus_`.' }),
    storeId: t.exposeString('storeId', { description: 'The owning store, prefix `store_`.' }),
    storeName: t.string({
      description: "The owning store's name.",
      resolve: (customer: CustomerRow, _args, context) => customer.storeName ?? storeNameOf(context, customer.storeId),
    }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    email: t.expose('email', { type: 'Email', description: 'E-mail address, as it was given.' }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'Given name.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Family name.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Telephone number.' }),
    tags: t.expose('tags', { type: ['Tag'], description: 'Labels of the form `<key>:<value>`.' }),
    billingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'Where bills go.',
      resolve: (customer) => customer.billingAddress as never,
    }), // written from AddressInput only
    shippingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'Where goods go.',
      resolve: (customer) => customer.shippingAddress as never,
    }), // as above
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    lastOrderId: t.exposeString('lastOrderId', { nullable: true, description: 'The latest order, prefix `ord_`.' }),
    paymentInstrumentCardLast4: t.exposeString('paymentInstrumentCardLast4', {
      nullable: true,
      description: "Last four digits of the default payment instrument's card.",
    }),
    testClockId: t.exposeString('testClockId', {
      nullable: true,
      description: 'The test clock whose time the customer lives by, prefix `clock_`; null in real time.',
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (customer) => customer.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
