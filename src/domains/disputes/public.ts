/** What other domains may use of this one. No file of this domain imports it. */
export { type DisputeRow, disputeObject } from './dispute-change.ts';
export { disputes } from './list-disputes.ts';
export { receiveDispute } from './receive-dispute.ts';
export { Dispute } from './types.ts';
