/** What other domains may use of this one. No file of this domain imports it. */

export { OperatorEventFilters, operatorEventList, visibilityArgs } from './inputs.ts';
export { reason } from './on-behalf.ts';
export { OperatorEvent } from './types.ts';
export { OperatorDeliveryFilters } from './webhooks/deliveries-schema.ts';
export { OperatorWebhookEndpoint } from './webhooks/endpoints-schema.ts';
