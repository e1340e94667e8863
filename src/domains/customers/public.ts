/** What other domains may use of this one. No file of this domain imports it. */

export { customers, customersFor } from './customer-list.ts';
export {
  assertNotDeleted,
  findOrAddCustomer,
  lockCustomer,
  lockCustomerForUse,
  touchCustomer,
} from './customer-rows.ts';
export { Customer, type CustomerRow } from './types.ts';
