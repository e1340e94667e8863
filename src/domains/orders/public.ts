/** What other domains may use of this one. No file of this domain imports it. */
export { type OrderChange, orderAfterPayment } from './follow-payment.ts';
export { mayBePaid } from './lifecycle.ts';
export { orders } from './order-list.ts';
export {
  addOrder,
  changeCustomer,
  type OrderRow,
  orderHeldPart,
  orderObject,
  ordersPart,
} from './order-rows.ts';
export { Order } from './types.ts';
