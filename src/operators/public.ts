/** What other domains may use of this one. No file of this domain imports it. */
export { CardTestingAlert } from './customers-schema.ts';
export { type ExportFile, openExport } from './exports/open-export.ts';
export { KeyRequest as PartnerKeyRequest } from './keys/schema.ts';
export { requestsSeenBy } from './refund-requests/refund-request-rows.ts';
export { RefundRequest } from './refund-requests/types.ts';
export { SearchHit } from './search/schema.ts';
export { DeferredCharge } from './subscriptions-schema.ts';
export { UnappliedEventRef } from './unapplied-events-schema.ts';
