/** What other domains may use of this one. No file of this domain imports it. */
export { acceptOffer } from './accept-offer.ts';
export { tokenHashOf } from './checkout-token.ts';
export type { CheckoutView } from './checkout-view.ts';
export { continueCheckout } from './continue-checkout.ts';
export { declineOffer } from './decline-offer.ts';
export { enterFunnel } from './enter-funnel.ts';
export { FunnelFilters } from './inputs.ts';
export { leaveLanding } from './leave-landing.ts';
export { listFunnelsWithin } from './list-funnels.ts';
export { payCheckout } from './pay-checkout.ts';
export { readChallenge } from './read-challenge.ts';
export { readCheckout } from './read-checkout.ts';
export { FunnelPage, FunnelSort } from './schema.ts';
export type { VisitFrom } from './visit.ts';
export { readVisitPlace } from './visit-place.ts';
