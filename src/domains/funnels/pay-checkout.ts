import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import type { Services } from '../../services.ts';
import { createPaymentInstrument, tokenizeCard } from '../instruments/public.ts';
import { attemptContext, chargeStep, followPayment, isRepeatedAttempt } from './charge-step.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { openVisit, type VisitFrom, wrongStepError } from './visit.ts';

export interface EnteredCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/**
 * Pays the price of a checkout step with a card. Repeating an attempt has no second effect. The amount and currency
 * are those of the step and never come from the page. If the session is at another step than the page names, nothing is
 * charged and the current step is returned.
 */
export async function payCheckout(
  services: Services,
  from: VisitFrom,
  { stepId, attemptId, email, card }: { stepId: string; attemptId: string; email: string; card: EnteredCard },
): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  const context = attemptContext(visit, attemptId);
  if (await isRepeatedAttempt(context)) return followPayment(services, from, visit);
  if (visit.node.type !== 'checkout' || visit.price === null)
    throw wrongStepError('Nothing is to be paid at this step.');
  const { storeId, platformAccountId } = visit.session;
  // Before the card is stored.
  assertMayCharge(await standingOf(services.pool, platformAccountId));
  const { token } = await tokenizeCard(visit.context, { storeId, ...card });
  const instrumentInput = { storeId, token, customerData: { email } };
  const { paymentInstrument } = await createPaymentInstrument(visit.context, instrumentInput);
  return chargeStep(services, from, visit, context, 'checkout', paymentInstrument);
}
