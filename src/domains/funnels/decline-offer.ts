import type { Services } from '../../services.ts';
import { recordCheckoutEvent } from './checkout-event.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { assertOffer, openVisit, type VisitFrom } from './visit.ts';

export async function declineOffer(
  services: Services,
  from: VisitFrom,
  { stepId }: { stepId: string },
): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  assertOffer(visit);
  return recordCheckoutEvent(services, from, visit, 'decline', 'offer_declined');
}
