/** What other domains may use of this one. No file of this domain imports it. */
export { SubscriptionFilters } from './inputs.ts';
export { listSubscriptionsWithin } from './list-subscriptions.ts';
export { SubscriptionPage, SubscriptionSort } from './schema.ts';
