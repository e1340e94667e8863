/** What other domains may use of this one. No file of this domain imports it. */
export { webhookDeliveries } from './deliveries/list-deliveries.ts';
export { attemptsColumn, forgetAnswersAbout } from './deliveries/rows.ts';
export { type EndpointRow, endpointView } from './endpoints/rows.ts';
export { Event, events } from './events/schema.ts';
export { WebhookDelivery, WebhookEndpoint } from './types.ts';
