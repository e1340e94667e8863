import type { Services } from '../../services.ts';
import { recordCheckoutEvent } from './checkout-event.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { openVisit, type VisitFrom, wrongStepError } from './visit.ts';

/** Continues from a landing page to the next step. */
export async function leaveLanding(
  services: Services,
  from: VisitFrom,
  { stepId }: { stepId: string },
): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  if (visit.node.type !== 'landing') throw wrongStepError('The session does not stand at a landing page.');
  return recordCheckoutEvent(services, from, visit, 'continue', 'continue');
}
