import type { Services } from '../../services.ts';
import { continuePayment } from '../payments/public.ts';
import { followPayment } from './charge-step.ts';
import type { CheckoutView } from './checkout-view.ts';
import { findChallengedPayment } from './read-challenge.ts';
import { openVisit, type VisitFrom } from './visit.ts';

/** Continues after a challenge was answered. Nothing changes if it was not answered or if there is none. */
export async function continueCheckout(services: Services, from: VisitFrom): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  const payment = await findChallengedPayment(visit);
  if (payment) await continuePayment(visit.context, payment.id);
  return followPayment(services, from, visit);
}
