/** What other domains may use of this one. No file of this domain imports it. */
export { pricesOf } from './products.ts';
export { type Interval, IntervalRef, Price, type PriceRow, Product, type ProductRow } from './schema.ts';
