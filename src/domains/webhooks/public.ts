/** What other domains may use of this one. No file of this domain imports it. */
export { attemptsColumn, type DeliveryRow } from './delivery-rows.ts';
export { healthCountMax } from './endpoint-health.ts';
export { type EndpointObject, endpointObject, issuedEndpointObject } from './endpoint-object.ts';
export { type EndpointRow, type IssuedEndpointRow, noSuchEndpoint } from './endpoint-rows.ts';
export { findTestEvent, type TestEvent } from './find-test-event.ts';
export { deliveryList, listDeliveriesWithin } from './list-webhook-deliveries.ts';
export { type EndpointWithHealth, findEndpointWithHealth, listEndpointsWithin } from './list-webhook-endpoints.ts';
export { redeliverWebhook } from './redeliver-webhook.ts';
export { redeliverWebhooksSince } from './redeliver-webhooks-since.ts';
export { rotateWebhookSecret } from './rotate-webhook-secret.ts';
export { requestBodyOf } from './sent-request.ts';
export { testWebhookEndpoint } from './test-webhook-endpoint.ts';
export {
  bodyComplexity,
  DeliveryStatus,
  endpointFields,
  IssuedWebhookEndpoint,
  Redelivery,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from './types.ts';
export { updateWebhookEndpoint } from './update-webhook-endpoint.ts';
