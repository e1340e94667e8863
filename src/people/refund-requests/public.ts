/** What other domains may use of this one. No file of this domain imports it. */
export { requestsSeenBy } from './refund-request-rows.ts';
export { RefundRequest } from './types.ts';
