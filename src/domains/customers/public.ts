/** What other domains may use of this one. No file of this domain imports it. */
export { findOrAddCustomer, lockCustomer, noSuchCustomer, touchCustomer } from './customer-rows.ts';
export { CustomerFilters } from './inputs.ts';
export { customerListWithin, listCustomersWithin } from './list-customers.ts';
export { CustomerPage, CustomerSort } from './schema.ts';
export { Customer, type CustomerRow } from './types.ts';
