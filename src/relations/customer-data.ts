import type { ObjectRef } from '@pothos/core';
import { visible } from '../auth/visible.ts';
import type { Context } from '../call/context.ts';
import { Customer, type CustomerRow } from '../domains/customers/public.ts';
import { Dispute } from '../domains/disputes/public.ts';
import { PaymentInstrument } from '../domains/instruments/public.ts';
import { Order } from '../domains/orders/public.ts';
import { Payment, Refund } from '../domains/payments/public.ts';
import { Subscription } from '../domains/subscriptions/public.ts';
import { Event } from '../domains/webhooks/public.ts';
import type { Payment as PaymentRow } from '../generated/prisma/client.ts';
import { type BuilderTypes, builder } from '../graph/builder.ts';
import { Address, type AddressValue } from '../graph/shared-types.ts';
import { objectOfPeople } from '../lists/inputs.ts';
import { latestOf, type Target, type Through } from './link.ts';
import * as to from './targets.ts';

/** The objects of one list. Bounds the answer, which is one document and not a page. */
const listMax = 500;

/** The payments of the customer show the addresses that were given for them, which the API shows nowhere else. */
const CustomerPayment = builder.objectRef<PaymentRow>('CustomerPayment').implement({
  description: 'A payment of a customer, with the addresses that were given for it.',
  fields: (t) => ({
    payment: t.field({ type: Payment, description: 'The payment.', resolve: (payment) => payment }),
    billingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'The billing address that was given for the payment. Null if none was.',
      resolve: ({ billingAddress }) => billingAddress as AddressValue | null, // written from AddressInput only
    }),
    shippingAddress: t.field({
      type: Address,
      nullable: true,
      description: 'The shipping address that was given for the payment. Null if none was.',
      resolve: ({ shippingAddress }) => shippingAddress as AddressValue | null, // written from AddressInput only
    }),
  }),
});

/** The objects of a kind that belong to the customer. `by` leads from them to the customer. */
function listOfCustomer<Row extends object, Item>(
  name: string,
  target: Target<Row, Item>,
  { type, of, by }: { type: ObjectRef<BuilderTypes, Item>; of: string; by: string | Through },
) {
  const List = builder.objectRef<{ items: Item[]; hasMore: boolean }>(`CustomerData${name}`).implement({
    description: `The ${of} of a customer.`,
    fields: (t) => ({
      items: t.field({
        type: [type],
        description: `The newest ${listMax} ${of}, the newest first.`,
        resolve: ({ items }) => items,
        complexity: { field: 1, multiplier: listMax },
      }),
      hasMore: t.exposeBoolean('hasMore', {
        description: `Whether the customer has more than ${listMax} ${of}.`,
      }),
    }),
  });
  return {
    type: List,
    description: `The ${of} of the customer.`,
    resolve: (customer: CustomerRow, _args: object, context: Context) =>
      latestOf(target, customer, { by, max: listMax }, context),
  };
}

const byCustomer = 'customerId';
const byPayment = { table: 'payments', column: byCustomer, by: 'paymentId' };
const lists = {
  paymentInstruments: listOfCustomer('PaymentInstruments', to.instruments, {
    type: PaymentInstrument,
    of: 'payment instruments',
    by: byCustomer,
  }),
  orders: listOfCustomer('Orders', to.orders, { type: Order, of: 'orders', by: byCustomer }),
  payments: listOfCustomer('Payments', to.payments, { type: CustomerPayment, of: 'payments', by: byCustomer }),
  refunds: listOfCustomer('Refunds', to.refunds, { type: Refund, of: 'refunds', by: byPayment }),
  subscriptions: listOfCustomer('Subscriptions', to.subscriptions, {
    type: Subscription,
    of: 'subscriptions',
    by: byCustomer,
  }),
  disputes: listOfCustomer('Disputes', to.disputes, { type: Dispute, of: 'disputes', by: byPayment }),
  events: listOfCustomer('Events', to.events, { type: Event, of: 'events', by: 'objectId' }),
};

const CustomerData = builder.objectRef<CustomerRow>('CustomerData').implement({
  description: 'The data stored about a customer.',
  fields: (t) => ({
    customer: t.field({ type: Customer, description: 'The customer.', resolve: (customer) => customer }),
    paymentInstruments: t.field(lists.paymentInstruments),
    orders: t.field(lists.orders),
    payments: t.field(lists.payments),
    refunds: t.field(lists.refunds),
    subscriptions: t.field(lists.subscriptions),
    disputes: t.field(lists.disputes),
    events: t.field(lists.events),
  }),
});

builder.queryField('customerData', (t) =>
  t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: CustomerData,
    description:
      'Returns the data stored about a customer, for the merchant to hand to the person: the customer, its ' +
      'payment instruments, orders, payments, refunds, subscriptions and disputes, and the events of the customer. ' +
      `Each list has the newest ${listMax} objects; \`hasMore\` says whether there are more. Of a deleted customer ` +
      'it returns what is left. 404 if the customer is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { customerId: t.arg.id({ required: true, description: 'The customer, prefix `cus_`.' }) },
    resolve: (_root, { customerId }, context) => visible(context, 'customer', customerId),
  }),
);
