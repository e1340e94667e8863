import type { Services } from '../../services.ts';
import { asCardAttempt } from '../instruments/public.ts';
import { attemptContext, chargeStep, followPayment, isRepeatedAttempt } from './charge-step.ts';
import { recordCheckoutEvent } from './checkout-event.ts';
import { type CheckoutView, viewOf } from './checkout-view.ts';
import { assertOffer, cardVisitOf, openVisit, type VisitFrom, wrongStepError } from './visit.ts';

/** Accepts an offer, which is paid with the card that paid before in the session. */
export async function acceptOffer(
  services: Services,
  from: VisitFrom,
  { stepId, attemptId }: { stepId: string; attemptId: string },
): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  const context = attemptContext(visit, attemptId);
  if (await isRepeatedAttempt(context)) return followPayment(services, from, visit);
  assertOffer(visit);
  if (visit.price === null) return recordCheckoutEvent(services, from, visit, 'accept', 'offer_accepted');
  const { paymentInstrumentId } = visit.session;
  const instrument =
    paymentInstrumentId === null
      ? null
      : await services.prisma.paymentInstrument.findFirst({ where: { id: paymentInstrumentId, isActive: true } });
  if (!instrument)
    throw wrongStepError('There is no card to pay the offer with: nothing was paid in this session yet.');
  return asCardAttempt(services, cardVisitOf(visit), () =>
    chargeStep(services, from, visit, context, 'offer', instrument),
  );
}
