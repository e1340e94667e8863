/** What other domains may use of this one. No file of this domain imports it. */
export { linkIdIn, withLinkUrls } from './cardholder/link.ts';
export {
  type CardholderRequest,
  type CardholderView,
  payAsCardholder,
  readCardholderChallenge,
  readCardholderPage,
  readCardholderPlace,
} from './cardholder/page.ts';
export type { DeferredReason, DeferredStatus } from './deferred/deferred-charges.ts';
export { resumeDeferredCharges } from './subscription/rows.ts';
export { type UpcomingCharge, upcomingChargeOf } from './subscription/terms.ts';
export { listDeferredChargesWithin, subscriptions } from './subscription-list.ts';
export { Subscription } from './types.ts';
