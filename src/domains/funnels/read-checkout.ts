import type { Services } from '../../services.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { openVisit, type VisitFrom } from './visit.ts';

export async function readCheckout(services: Services, from: VisitFrom): Promise<CheckoutView> {
  return viewOf(await openVisit(services, from));
}
