import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { afterChange } from '../../database/through-outage.ts';
import type { Services } from '../../services.ts';
import { asCardAttempt, createPaymentInstrument, tokenizeCard } from '../instruments/public.ts';
import { attemptContext, chargeStep, followPayment, isRepeatedAttempt } from './charge-step.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { cardVisitOf, openVisit, type Visit, type VisitFrom, wrongStepError } from './visit.ts';

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
  return asCardAttempt(services, cardVisitOf(visit), async () => {
    const { token } = await tokenizeCard(visit.context, { storeId, ...card });
    return afterChange(async () => {
      const { paymentInstrument } = await createPaymentInstrument(visit.context, {
        storeId,
        token,
        ...(await payerOf(visit, email)),
      });
      return chargeStep(services, from, visit, context, 'checkout', paymentInstrument);
    });
  });
}

/**
 * The customer of a payment. The merchant opened the session for a customer, or the visitor is a guest: an e-mail
 * address proves nothing, and a card that joined the customer who has it would be charged for that customer later.
 */
async function payerOf(
  { context, session }: Visit,
  email: string,
): Promise<{ customerId: string } | { customerData: { email: string }; guestSessionId: string }> {
  const { id: guestSessionId, customerId, storeId } = session;
  const known =
    customerId === null
      ? null
      : await context.services.prisma.customer.findFirst({
          where: { id: customerId, storeId, emailLower: email.toLowerCase() },
          select: { id: true },
        });
  return known ? { customerId: known.id } : { customerData: { email }, guestSessionId };
}
