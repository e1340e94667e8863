/** What other domains may use of this one. No file of this domain imports it. */
export type { DeliveryRow } from './delivery-rows.ts';
export { findTestEvent, type TestEvent } from './find-test-event.ts';
export { listDeliveriesWithin } from './list-webhook-deliveries.ts';
export { DeliveryStatus, WebhookAttempt } from './types.ts';
