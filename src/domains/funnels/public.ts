/** What other domains may use of this one. No file of this domain imports it. */
export {
  acceptOffer,
  continueCheckout,
  declineOffer,
  leaveLanding,
  payCheckout,
  readChallenge,
} from './checkout/actions.ts';
export { type CheckoutView, readCheckout } from './checkout/view.ts';
export type { VisitFrom } from './checkout/visit.ts';
export { tokenHashOf } from './sessions/rows.ts';
export { enterFunnel, readVisitPlace } from './sessions/start-session.ts';
export { FunnelRef } from './types.ts';
