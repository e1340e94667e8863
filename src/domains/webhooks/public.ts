/** What other domains may use of this one. No file of this domain imports it. */
export { attemptsColumn, type DeliveryRow } from './delivery-rows.ts';
export { endpointObject } from './endpoint-object.ts';
export type { EndpointRow } from './endpoint-rows.ts';
export { findTestEvent, type TestEvent } from './find-test-event.ts';
export { listDeliveriesWithin } from './list-webhook-deliveries.ts';
export { DeliveryStatus, WebhookAttempt, WebhookDelivery, WebhookEndpoint } from './types.ts';
