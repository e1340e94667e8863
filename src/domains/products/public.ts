/** What other domains may use of this one. No file of this domain imports it. */
export { pricesOf } from './products.ts';
export { type Interval, IntervalRef, type PriceRow } from './schema.ts';
