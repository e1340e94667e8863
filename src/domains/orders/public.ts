/** What other domains may use of this one. No file of this domain imports it. */
export { type OrderChange, orderAfterPayment } from './follow-payment.ts';
export { listOrdersWithin, OrderFilters, orderList } from './inputs.ts';
export { mayBePaid } from './lifecycle.ts';
export {
  addOrder,
  changeCustomer,
  noSuchOrder,
  type OrderRow,
  orderHeldPart,
  orderObject,
  ordersPart,
} from './order-rows.ts';
export { OrderPage, OrderSort } from './schema.ts';
export { Order } from './types.ts';
