import { assertMayCharge, chargingStatusOf } from '../../../auth/charging-status.ts';
import type { TenantContext } from '../../../call/context.ts';
import { perhapsDoneIfUnavailable } from '../../../database/outage-retry.ts';
import type { Payment } from '../../../generated/prisma/client.ts';
import { requestHashOf } from '../../../lib/json.ts';
import { shortestAddress } from '../../../lib/network.ts';
import type { Services } from '../../../services.ts';
import { findStoredCall, withReplay } from '../../../unit-of-work/idempotency.ts';
import { recordKeyOf, write } from '../../../unit-of-work/write.ts';
import { asCardAttempt, createPaymentInstrument, tokenizeCard } from '../../instruments/public.ts';
import { addOrder, changeCustomer } from '../../orders/public.ts';
import { continuePayment, processPayment } from '../../payments/public.ts';
import { textIn } from '../graph/step-config.ts';
import { followOrder } from '../sessions/follow-payments.ts';
import { moveSession } from '../sessions/move-session.ts';
import { addSessionOrder, lockSession, setOrderOpen } from '../sessions/rows.ts';
import { type CheckoutView, readCheckout, viewOf } from './view.ts';
import {
  assertOffer,
  cardVisitOf,
  openVisit,
  urlOfSession,
  type Visit,
  type VisitFrom,
  wrongStepError,
} from './visit.ts';

/**
 * A context in which the attempt is charged once. Its key contains the step, since steps may use the same attempt ids.
 */
function attemptContext({ context, session, node }: Visit, attemptId: string): TenantContext {
  const key = `checkout:${session.id}:${node.id}:${attemptId}`;
  return { ...context, idempotency: { owner: session.platformAccountId, key, requestHash: requestHashOf(key) } };
}

async function isRepeatedAttempt(context: TenantContext): Promise<boolean> {
  const recordKey = recordKeyOf(context, 'processPayment');
  return recordKey !== null && (await findStoredCall(context.services.pool, recordKey)) !== null;
}

/** Charges a step. The order is linked to the session before the charge, so that a crash cannot separate the two. */
async function chargeStep(
  services: Services,
  from: VisitFrom,
  visit: Visit,
  context: TenantContext,
  kind: 'checkout' | 'offer',
  instrument: { id: string; customerId: string },
): Promise<CheckoutView> {
  const { session, price, node } = visit;
  if (!price) throw wrongStepError('This step requires no payment.');
  const orderId = await orderOfStep(visit, kind, instrument.customerId);
  // The return URL contains no secret: the browser brings the token in a cookie.
  const returnUrl = `${services.config.publicUrl}/checkout/return/${session.id}`;
  const paymentFlowId = await paymentFlowOf(visit);
  const charge = () =>
    processPayment(context, {
      storeId: session.storeId,
      paymentInstrumentId: instrument.id,
      amount: price.amount,
      currency: price.currency,
      orderId,
      mode: 'purchase',
      initiatedBy: 'customer',
      threeDs: 'automatic',
      payerIp: shortestAddress(context.ip),
      metadata: { funnelSessionId: session.id, funnelStepId: node.id },
      ...(paymentFlowId !== null && { paymentFlowId }),
      ...((session.mode === 'test' || returnUrl.startsWith('https:')) && { returnUrl }),
    });
  // The call may be rejected because of its own first call, for example since that has paid the order.
  const recordKey = recordKeyOf(context, 'processPayment');
  await perhapsDoneIfUnavailable(() => withReplay<unknown>(context, recordKey, charge, () => null));
  return followPayment(services, from, visit);
}

/** The payment flow of the step. Null if it was deleted: the charge then uses the flow of the store. */
async function paymentFlowOf({ context, session, config }: Visit): Promise<string | null> {
  const id = textIn(config, 'paymentFlowId');
  if (id === null) return null;
  const where = { id, platformAccountId: session.platformAccountId };
  return (await context.services.prisma.paymentFlow.findFirst({ where, select: { id: true } }))?.id ?? null;
}

/** The order of the step. A step has one order for all attempts, so that it is paid once. */
function orderOfStep(visit: Visit, kind: 'checkout' | 'offer', customerId: string): Promise<string> {
  const { context, session, node, price } = visit;
  return write(context, 'orderForStep', async (change) => {
    const { tx, now, earliest } = change;
    const locked = await lockSession(tx, session.id);
    if (locked.currentStepId !== node.id || locked.expiresAt <= earliest || !price)
      throw wrongStepError('The session is at another step now.');
    const known = await tx.funnelOrder.findUnique({
      where: { sessionId_stepId: { sessionId: session.id, stepId: node.id } },
    });
    if (known) {
      await setOrderOpen(tx, known.orderId, true);
      // An unpaid order belongs to the customer of the latest attempt, who may enter another email address.
      await changeCustomer(change, known.orderId, customerId);
      return known.orderId;
    }
    const { storeId: id, partnerId, platformAccountId, mode } = session;
    const order = await addOrder(
      change,
      { id, partnerId, platformAccountId, mode },
      {
        customerId,
        amount: price.amount,
        currency: price.currency,
        items: price.items,
        metadata: { funnelSessionId: session.id, funnelStepId: node.id },
      },
    );
    await addSessionOrder(tx, {
      orderId: order.id,
      sessionId: session.id,
      partnerId,
      platformAccountId,
      mode,
      stepId: node.id,
      variantId: locked.variantId,
      kind,
      open: true,
      createdAt: now,
    });
    return order.id;
  });
}

/**
 * Applies the outcome of the step's payment, which was requested before, to the session, and returns the current step.
 */
function followPayment(services: Services, from: VisitFrom, { context, session, node }: Visit): Promise<CheckoutView> {
  return perhapsDoneIfUnavailable(async () => {
    const known = await services.prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
    if (known) await followOrder(context, known.orderId);
    return readCheckout(services, from);
  });
}

export interface EnteredCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/**
 * Pays the price of a checkout step with a card. Repeating an attempt has no second effect. The amount and currency are
 * those of the step and never come from the page. If the session is at a step other than the page's, nothing is charged
 * and the current step is returned.
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
  if (visit.node.type !== 'checkout' || visit.price === null) throw wrongStepError('This step requires no payment.');
  const { storeId, platformAccountId } = visit.session;
  // Checked before the card is stored.
  assertMayCharge(await chargingStatusOf(services.pool, platformAccountId));
  return asCardAttempt(services, cardVisitOf(visit), async () => {
    const { token } = await tokenizeCard(visit.context, { storeId, ...card });
    return perhapsDoneIfUnavailable(async () => {
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
 * The customer of a payment: the one for whom the merchant opened the session, or a guest. An email address proves
 * nothing: if the card were added to the customer with that address, it would be charged for that customer later.
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

/** Applies an event without a charge, once per step however often the button is pressed. */
async function recordCheckoutEvent(
  services: Services,
  from: VisitFrom,
  { context, session, node }: Visit,
  name: string,
  type: string,
): Promise<CheckoutView> {
  await write(context, 'recordCheckoutEvent', async (change) => {
    const locked = await lockSession(change.tx, session.id);
    const pending = await change.tx.payment.count({
      where: { status: 'pending', order: { funnelOrders: { some: { sessionId: session.id, stepId: node.id } } } },
    });
    if (pending > 0) throw wrongStepError('A payment of this step is in progress.');
    return moveSession(change, locked, { id: `${name}:${node.id}`, type, data: {}, stepId: node.id });
  });
  return readCheckout(services, from);
}

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
  if (!instrument) throw wrongStepError('No card to pay the offer with: this session has no payment yet.');
  return asCardAttempt(services, cardVisitOf(visit), () =>
    chargeStep(services, from, visit, context, 'offer', instrument),
  );
}

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

/** Continues from a landing page to the next step. */
export async function leaveLanding(
  services: Services,
  from: VisitFrom,
  { stepId }: { stepId: string },
): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  if (visit.node.type !== 'landing') throw wrongStepError('The session is not at a landing page.');
  return recordCheckoutEvent(services, from, visit, 'continue', 'continue');
}

/** The URL of the issuer's challenge, null if there is none, and the page to which the visitor returns. */
export async function readChallenge(
  services: Services,
  from: VisitFrom,
): Promise<{ sessionId: string; challengeUrl: string | null; url: string | null }> {
  const visit = await openVisit(services, from);
  const payment = await findChallengedPayment(visit);
  const { url = null } = (payment?.requireActionData ?? {}) as { url?: string }; // written as RequiredAction only
  return { sessionId: visit.session.id, challengeUrl: url, url: await urlOfSession(services, visit.session) };
}

/** The latest payment of the step whose challenge is unanswered. */
async function findChallengedPayment({ context, session, node }: Visit): Promise<Payment | null> {
  const { prisma } = context.services;
  const known = await prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
  if (!known) return null;
  return prisma.payment.findFirst({
    where: { orderId: known.orderId, status: 'pending', subStatus: 'requires_action' },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Continues after a challenge was answered. Nothing changes if it was not answered or if there is none. */
export async function continueCheckout(services: Services, from: VisitFrom): Promise<CheckoutView> {
  const visit = await openVisit(services, from);
  const payment = await findChallengedPayment(visit);
  if (payment) await continuePayment(visit.context, payment.id);
  return followPayment(services, from, visit);
}
