/** What other domains may use of this one. No file of this domain imports it. */
export { deliveryList, listDeliveriesWithin } from './deliveries/list-deliveries.ts';
export { redeliverWebhook, redeliverWebhooksSince, testWebhookEndpoint } from './deliveries/redeliver.ts';
export { requestBodyOf } from './deliveries/request.ts';
export { attemptsColumn, type DeliveryRow } from './deliveries/rows.ts';
export { rotateWebhookSecret, updateWebhookEndpoint } from './endpoints/change-endpoint.ts';
export {
  type EndpointWithHealth,
  findEndpointWithHealth,
  healthCountMax,
  listEndpointsWithin,
} from './endpoints/list-endpoints.ts';
export {
  type EndpointObject,
  type EndpointRow,
  endpointObject,
  type IssuedEndpointRow,
  issuedEndpointObject,
  noSuchEndpoint,
} from './endpoints/rows.ts';
export { Event, type ShownEvent } from './events/schema.ts';
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
