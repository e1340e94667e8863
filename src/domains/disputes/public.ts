/** What other domains may use of this one. No file of this domain imports it. */
export { disputeObject } from './dispute-object.ts';
export type { DisputeRow } from './dispute-records.ts';
export { DisputeFilters } from './inputs.ts';
export { disputeList, listDisputesWithin } from './list-disputes.ts';
export { receiveDispute } from './receive-dispute.ts';
export { DisputePage, DisputeSort } from './schema.ts';
export { Dispute } from './types.ts';
