import type { Context } from '../call/context.ts';
import { sql } from '../database/sql.ts';
import { Account } from '../domains/accounts/public.ts';
import { BlockRule } from '../domains/block-rules/public.ts';
import { Customer } from '../domains/customers/public.ts';
import { Dispute } from '../domains/disputes/public.ts';
import { FunnelRef } from '../domains/funnels/public.ts';
import { PaymentInstrument } from '../domains/instruments/public.ts';
import { ApiKey } from '../domains/keys/public.ts';
import { Order } from '../domains/orders/public.ts';
import { Payment, Refund } from '../domains/payments/public.ts';
import { Processor } from '../domains/processors/public.ts';
import { Price } from '../domains/products/public.ts';
import { Store } from '../domains/stores/public.ts';
import { Subscription } from '../domains/subscriptions/public.ts';
import { TestClock } from '../domains/test-clocks/public.ts';
import { Event, WebhookDelivery, WebhookEndpoint } from '../domains/webhooks/public.ts';
import type { Partner as PartnerRecord } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { linkedRows } from '../graph/linked-rows.ts';
import { Partner } from '../iam/public.ts';
import {
  CardTestingAlert,
  DeferredCharge,
  PartnerKeyRequest,
  RefundRequest,
  SearchHit,
  UnappliedEventRef,
} from '../operators/public.ts';
import { type Target, toMany, toOne } from './link.ts';
import * as to from './targets.ts';

/**
 * The links between the objects of the graph. They are defined here because they join domains that do not import each
 * other. A link to one object is a relation of Prisma where both types have a table of their own and neither row has a
 * secret (docs/decisions/33-graphql-libraries.md).
 */

const account = toOne(
  to.accounts,
  'The processing account.',
  ({ platformAccountId }: { platformAccountId: string | null }) => platformAccountId,
);
const store = toOne(
  to.stores,
  'The store. Null if there is none.',
  ({ storeId }: { storeId: string | null }) => storeId,
);
const customer = toOne(
  to.customers,
  'The customer. Null if there is none.',
  ({ customerId }: { customerId: string | null }) => customerId,
);
const processor = toOne(
  to.processors,
  'The processor. Null if no processor was called.',
  ({ processorId }: { processorId: string | null }) => processorId,
);
/** A link to one object by a relation of Prisma. */
const relationTo = ({ scopes }: Pick<Target<never, unknown>, 'scopes'>, description: string) =>
  ({ nullable: true, authScopes: scopes, description }) as const;
const accountOf = relationTo(to.accounts, 'The processing account.');
const storeOf = relationTo(to.stores, 'The store. Null if there is none.');
const instrumentOf = relationTo(to.instruments, 'The payment instrument.');
const paymentOf = relationTo(to.payments, 'The payment.');

/** A partner has no partner above it, which `toOne` looks for: internal staff alone follow the link. */
const partner = {
  ...relationTo({ scopes: { hub: true } }, 'The partner.'),
  type: Partner,
  resolve: async ({ partnerId }: { partnerId: string }, _args: object, context: Context) => {
    const statement = (ids: readonly string[]) =>
      sql`SELECT t.*, t.id AS "linkedTo" FROM partners t WHERE t.id = ANY(${[...ids]})`;
    const [row] = await linkedRows<PartnerRecord>(context, { name: 'partners', statement }, partnerId);
    return row ?? null;
  },
};

const payment = toOne(to.payments, 'The payment.', ({ paymentId }: { paymentId: string | null }) => paymentId);
const events = toMany(to.events, 'The events of the object.', 'objectId');
const deliveries = toMany(to.deliveries, 'The webhook deliveries of the events of the object.', {
  table: 'events',
  column: 'objectId',
  by: 'eventId',
});
const deliveriesOfEvent = toMany(to.deliveries, 'The webhook deliveries of the event.', 'eventId');

builder.prismaObjectFields(Payment, (t) => ({
  account: t.relation('account', accountOf),
  store: t.relation('store', storeOf),
  // A suspended key reads the customers of the payments that it refunds.
  customer: t.relation('customer', relationTo(to.payments, 'The customer.')),
  paymentInstrument: t.relation('paymentInstrument', instrumentOf),
  order: t.field(
    toOne(
      to.orders,
      'The order that is paid. Null if the payment pays none.',
      ({ orderId }: { orderId: string | null }) => orderId,
    ),
  ),
  subscription: t.relation(
    'subscription',
    relationTo(to.subscriptions, 'The subscription. Null if the payment belongs to none.'),
  ),
  processor: t.field(processor),
  refunds: t.field(toMany(to.refunds, 'The refunds of the payment.', 'paymentId')),
  refundRequests: t.field(
    toMany(
      to.refundRequests,
      'The refunds of the payment that people requested and that a second person must approve.',
      'paymentId',
    ),
  ),
  auditEntries: t.field(toMany(to.auditRows, 'The audit rows about the payment.', 'target')),
  disputes: t.field(toMany(to.disputes, 'The disputes of the payment.', 'paymentId')),
  events: t.field(events),
  deliveries: t.field(deliveries),
}));

builder.prismaObjectFields(Refund, (t) => ({ payment: t.relation('payment', paymentOf) }));

builder.prismaObjectFields(RefundRequest, (t) => ({
  payment: t.relation('payment', paymentOf),
  account: t.field(account),
}));

builder.objectFields(Dispute, (t) => ({
  payment: t.field(payment),
  account: t.field(account),
  store: t.field(store),
  processor: t.field(processor),
  events: t.field(events),
  deliveries: t.field(deliveries),
}));

builder.objectFields(Order, (t) => ({
  account: t.field(account),
  store: t.field(store),
  customer: t.field(customer),
  payments: t.field(toMany(to.payments, 'The payments of the order, also those that failed.', 'orderId')),
  events: t.field(events),
  deliveries: t.field(deliveries),
}));

builder.prismaObjectFields(Subscription, (t) => ({
  account: t.field(account),
  store: t.relation('store', storeOf),
  customer: t.relation('customer', relationTo(to.customers, 'The customer. Null if there is none.')),
  paymentInstrument: t.relation('paymentInstrument', instrumentOf),
  price: t.field(toOne(to.prices, 'The price of one unit.', ({ priceId }: { priceId: string }) => priceId)),
  testClock: t.relation(
    'testClock',
    relationTo(to.subscriptions, 'The test clock of the customer. Null if there is none.'),
  ),
  payments: t.field(toMany(to.payments, 'The payments of the subscription.', 'subscriptionId')),
  events: t.field(events),
  deliveries: t.field(deliveries),
}));

builder.objectFields(Price, (t) => ({
  product: t.field(toOne(to.products, 'The product.', ({ productId }: { productId: string }) => productId)),
}));

builder.prismaObjectFields(Customer, (t) => ({
  account: t.field(account),
  store: t.relation('store', storeOf),
  paymentInstruments: t.field(toMany(to.instruments, 'The payment instruments of the customer.', 'customerId')),
  payments: t.field(toMany(to.payments, 'The payments of the customer.', 'customerId')),
  orders: t.field(toMany(to.orders, 'The orders of the customer.', 'customerId')),
  subscriptions: t.field(toMany(to.subscriptions, 'The subscriptions of the customer.', 'customerId')),
  events: t.field(events),
  deliveries: t.field(deliveries),
}));

builder.prismaObjectFields(PaymentInstrument, (t) => ({
  account: t.field(account),
  store: t.relation('store', storeOf),
  events: t.field(events),
}));

builder.prismaObjectFields(Account, (t) => ({
  partner: t.relation('partner', relationTo({ scopes: { hub: true } }, 'The partner.')),
  payments: t.field(toMany(to.payments, 'The payments of the account.', 'platformAccountId')),
  orders: t.field(toMany(to.orders, 'The orders of the account.', 'platformAccountId')),
  customers: t.field(toMany(to.customers, 'The customers of the account.', 'platformAccountId')),
  subscriptions: t.field(toMany(to.subscriptions, 'The subscriptions of the account.', 'platformAccountId')),
  disputes: t.field(toMany(to.disputes, 'The disputes of the account.', 'platformAccountId')),
  processors: t.field(toMany(to.processors, 'The processors of the account.', 'platformAccountId')),
  apiKeys: t.field(toMany(to.apiKeys, 'The sub-keys of the account.', 'platformAccountId')),
  blockRules: t.field(toMany(to.blockRules, 'The block rules of the account.', 'platformAccountId')),
  webhookEndpoints: t.field(toMany(to.endpoints, 'The webhook endpoints of the account.', 'platformAccountId')),
  auditEntries: t.field(toMany(to.auditRows, 'The audit rows about the account.', 'target')),
  events: t.field(events),
}));

builder.prismaObjectFields(Store, (t) => ({
  account: t.relation('account', accountOf),
  payments: t.field(toMany(to.payments, 'The payments of the store.', 'storeId')),
  orders: t.field(toMany(to.orders, 'The orders of the store.', 'storeId')),
}));

builder.prismaObjectFields(BlockRule, (t) => ({ account: t.relation('account', accountOf) }));

builder.prismaObjectFields(TestClock, (t) => ({
  account: t.relation('account', accountOf),
  subscriptions: t.field(toMany(to.subscriptions, 'The subscriptions on the test clock.', 'testClockId')),
}));

builder.objectFields(Processor, (t) => ({ account: t.field(account) }));
builder.objectFields(SearchHit, (t) => ({ account: t.field(account) }));

builder.prismaObjectFields(FunnelRef, (t) => ({ account: t.field(account), store: t.field(store) }));

builder.prismaObjectFields(CardTestingAlert, (t) => ({ account: t.field(account) }));

builder.prismaObjectFields(DeferredCharge, (t) => ({
  account: t.field(account),
  subscription: t.field(
    toOne(to.subscriptions, 'The subscription.', ({ subscriptionId }: { subscriptionId: string }) => subscriptionId),
  ),
}));

builder.prismaObjectFields(UnappliedEventRef, (t) => ({ account: t.field(account), processor: t.field(processor) }));

builder.objectFields(ApiKey, (t) => ({ account: t.field(account), partner: t.field(partner) }));

builder.objectFields(PartnerKeyRequest, (t) => ({ partner: t.field(partner) }));

builder.objectFields(Event, (t) => ({
  account: t.field(account),
  store: t.field(store),
  deliveries: t.field(deliveriesOfEvent),
}));

builder.objectFields(WebhookEndpoint, (t) => ({
  account: t.field(account),
  store: t.field(store),
  deliveries: t.field(toMany(to.deliveries, 'The deliveries of the endpoint.', 'endpointId')),
}));

builder.objectFields(WebhookDelivery, (t) => ({
  event: t.field(
    toOne(
      to.events,
      'The event that is sent. Null for `webhook/test`, which `event` returns.',
      ({ eventId }: { eventId: string }) => eventId,
    ),
  ),
  endpoint: t.field(
    toOne(
      to.endpoints,
      'The endpoint. Null if it was deleted.',
      ({ endpointId }: { endpointId: string }) => endpointId,
    ),
  ),
}));
