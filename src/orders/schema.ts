import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { orderStatuses } from './lifecycle.ts';
import { cancelOrder, createOrder, listOrders, readOrder } from './operations.ts';
import type { OrderItem } from './order-records.ts';

const OrderStatus = builder.enumType('OrderStatus', {
  description: 'Where an order stands. It follows its payments; `cancelled` is for good.',
  values: orderStatuses,
});

const OrderItemRef = builder.objectRef<OrderItem>('OrderItem').implement({
  description: 'One line of an order.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `li_`.' }),
    name: t.expose('name', { type: 'Name', description: 'What is sold.' }),
    quantity: t.expose('quantity', { type: 'Quantity', description: 'How many.' }),
    unitAmount: t.expose('unitAmount', { type: 'Amount', description: 'The price of one, in minor units.' }),
    priceId: t.exposeString('priceId', { nullable: true, description: 'The price it is sold at, prefix `price_`.' }),
  }),
});

const Order = builder.prismaObject('Order', {
  description: 'What a customer buys; a payment pays it whole.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `ord_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    customerId: t.exposeString('customerId', { nullable: true, description: 'Who buys, prefix `cus_`.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'The sum of the items, in minor units.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    items: t.field({ type: [OrderItemRef], description: 'What is bought.', resolve: (order) => order.items as never }), // written as OrderItem only
    status: t.field({ type: OrderStatus, description: 'Where it stands.', resolve: (order) => order.status as never }), // a CHECK constraint holds the column to the enum
    paymentId: t.exposeString('paymentId', {
      nullable: true,
      description: 'The payment that paid it or is under way, prefix `pay_`. A payment that failed lets go of it.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (order) => order.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const OrderPage = pageType('OrderPage', Order, 'orders');
const OrderSort = sortInput('OrderSort', ['createdAt', 'amount']);

export const OrderFilters = builder.inputType('OrderFilters', {
  description: 'Which orders. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [OrderStatus], description: 'Any of these statuses.' }),
    currency: t.field({ type: ['Currency'], description: 'Any of these currencies.' }),
    customerId: t.string({ description: 'Of this customer.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
  }),
});

const OrderItemInput = builder.inputType('OrderItemInput', {
  description: 'One line of an order.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: 'What is sold.' }),
    quantity: t.field({ type: 'Quantity', required: true, description: 'How many, 1 to 1,000,000.' }),
    unitAmount: t.field({ type: 'Amount', required: true, description: 'The price of one, in minor units.' }),
    priceId: t.string({
      description:
        'The price it is sold at, prefix `price_`: of the same store, currency and amount (else 400). 404 when there is none.',
    }),
  }),
});

export const CreateOrderInput = builder.inputType('CreateOrderInput', {
  description: 'An order to add to a store.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores.',
    }),
    customerId: t.string({ description: 'Who buys, prefix `cus_`.' }),
    currency: t.field({
      type: 'Currency',
      required: true,
      description: 'ISO 4217 code; a payment of the order must be in it.',
    }),
    items: t.field({
      type: [OrderItemInput],
      required: true,
      description: 'What is bought: 1 to 100 lines, at most 99,999,999,999 in all.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

builder.queryFields((t) => ({
  order: t.withAuth({ key: true }).field({
    type: Order,
    description: 'One order. 404 when it is not within the reach of the key.',
    args: { orderId: t.arg.string({ required: true, description: 'Identifier, prefix `ord_`.' }) },
    resolve: (_root, { orderId }, context) => readOrder(context, orderId),
  }),
  orders: t.withAuth({ key: true }).field({
    type: OrderPage,
    description:
      "The orders of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...cursorArguments,
      sortBy: t.arg({ type: OrderSort, description: 'The order.' }),
      filters: t.arg({ type: OrderFilters, description: 'Which orders.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listOrders(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createOrder: t.withAuth({ key: true }).field({
    type: Order,
    description: 'Adds an order to a store. It is `pending` until a payment with its `orderId` pays it.',
    args: { input: t.arg({ type: CreateOrderInput, required: true, description: 'The order.' }) },
    resolve: (_root, { input }, context) => createOrder(context, input),
  }),
  cancelOrder: t.withAuth({ key: true }).field({
    type: Order,
    description:
      'Cancels an order that nobody has paid, for good. 409 `invalid_state` when it is paid or refunded (refund its payment), while a payment of it is under way (void what is held; a challenge ends within 30 minutes, an unknown outcome within a minute), and when it is cancelled already.',
    args: { orderId: t.arg.string({ required: true, description: 'Identifier, prefix `ord_`.' }) },
    resolve: (_root, { orderId }, context) => cancelOrder(context, orderId),
  }),
}));
