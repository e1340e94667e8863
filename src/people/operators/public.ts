/** What other domains may use of this one. No file of this domain imports it. */

export { OperatorEventFilters, operatorEventList, partnersVisible, rowsVisible, visibilityArgs } from './inputs.ts';
export { actOnBehalf, always, onPayment, reason } from './on-behalf.ts';
export { OperatorPayment } from './payment-schema.ts';
export { OperatorEvent } from './types.ts';
export { operatorVisibility, readablePartnerId } from './visibility.ts';
export { OperatorDeliveryFilters } from './webhooks/deliveries-schema.ts';
export { OperatorWebhookEndpoint } from './webhooks/endpoints-schema.ts';
