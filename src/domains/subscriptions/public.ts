/** What other domains may use of this one. No file of this domain imports it. */
export { shownData } from './action-required.ts';
export { cancelSubscription } from './cancel-subscription.ts';
export { linkIdIn } from './cardholder-link.ts';
export { type CardholderRequest, readCardholderPlace } from './cardholder-visit.ts';
export { chargedAnswer } from './charged-call.ts';
export { SubscriptionFilters } from './inputs.ts';
export { listSubscriptionsWithin, subscriptionList } from './list-subscriptions.ts';
export { listWithheldChargesWithin } from './list-withheld-charges.ts';
export { pauseSubscription } from './pause-subscription.ts';
export { payAsCardholder } from './pay-as-cardholder.ts';
export { type CardholderView, readCardholderChallenge, readCardholderPage } from './read-cardholder-page.ts';
export { resumeSubscription } from './resume-subscription.ts';
export { SubscriptionPage, SubscriptionSort } from './schema.ts';
export { noSuchSubscription } from './subscription-rows.ts';
export { Subscription, type SubscriptionRow } from './types.ts';
export { type UpcomingCharge, upcomingChargeOf } from './upcoming-charge.ts';
export { type WithheldReason, type WithheldStatus, wakeWithheld } from './withheld-charges.ts';
