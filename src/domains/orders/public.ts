/** What other domains may use of this one. No file of this domain imports it. */
export { type OrderChange, orderAfterPayment, orderPart, ordersPart } from './follow-payment.ts';
export { OrderFilters } from './inputs.ts';
export { mayBePaid } from './lifecycle.ts';
export { listOrdersWithin, orderList } from './list-orders.ts';
export { orderObject } from './order-object.ts';
export type { OrderRow } from './order-records.ts';
export { addOrder, noSuchOrder } from './order-rows.ts';
export { OrderPage, OrderSort } from './schema.ts';
export { Order } from './types.ts';
