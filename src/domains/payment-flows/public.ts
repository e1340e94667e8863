/** What other domains may use of this one. No file of this domain imports it. */
export { type ChargeFlow, type ChargeRoute, routeOfCharge } from './route.ts';
