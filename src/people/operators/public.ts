/** What other domains may use of this one. No file of this domain imports it. */
export { actOnBehalf } from './act-on-behalf.ts';
export { onPayment } from './act-on-payment.ts';
export { OperatorDeliveryFilters } from './deliveries-schema.ts';
export { OperatorWebhookEndpoint } from './endpoints-schema.ts';
export { OperatorEventFilters, partnersVisible, rowsVisible, visibilityArgs } from './inputs.ts';
export { operatorEventList } from './list-events.ts';
export { OperatorPayment } from './payment-schema.ts';
export { always, reason } from './reason-argument.ts';
export { OperatorEvent } from './types.ts';
export { operatorVisibility, readablePartnerId } from './visibility.ts';
