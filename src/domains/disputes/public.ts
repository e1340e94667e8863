/** What other domains may use of this one. No file of this domain imports it. */
export { type DisputeRow, disputeObject } from './dispute-change.ts';
export { disputeList, listDisputesWithin } from './list-disputes.ts';
export { receiveDispute } from './receive-dispute.ts';
export { DisputePage, DisputeSort } from './schema.ts';
export { Dispute, DisputeFilters } from './types.ts';
