/** What other domains may use of this one. No file of this domain imports it. */
export { findOrAddCustomer, lockCustomer, noSuchCustomer, touchCustomer } from './customer-rows.ts';
export { CustomerFilters, customerListWithin, listCustomersWithin } from './inputs.ts';
export { CustomerPage, CustomerSort } from './schema.ts';
export { Customer, type CustomerRow } from './types.ts';
