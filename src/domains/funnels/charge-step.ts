import { afterChange } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import { requestHashOf } from '../../kit/canonical-json.ts';
import { shortestAddress } from '../../kit/network.ts';
import type { Services } from '../../services.ts';
import { withFirstAnswer } from '../../write/first-answer.ts';
import { findStoredCall } from '../../write/idempotency.ts';
import { recordKeyOf, write } from '../../write/write.ts';
import { addOrder } from '../orders/public.ts';
import { processPayment } from '../payments/public.ts';
import type { CheckoutView } from './checkout-view.ts';
import { followOrder } from './follow-order.ts';
import { readCheckout } from './read-checkout.ts';
import { lockSession } from './session-records.ts';
import { textIn } from './step-config.ts';
import { type Visit, type VisitFrom, wrongStepError } from './visit.ts';

/** A context in which the attempt is charged once. Its key names the step, since steps may use the same attempt ids. */
export function attemptContext({ context, session, node }: Visit, attemptId: string): KeyContext {
  const key = `checkout:${session.id}:${node.id}:${attemptId}`;
  return { ...context, idempotency: { owner: session.platformAccountId, key, requestHash: requestHashOf(key) } };
}

export async function isRepeatedAttempt(context: KeyContext): Promise<boolean> {
  const recordKey = recordKeyOf(context, 'processPayment');
  return recordKey !== null && (await findStoredCall(context.services.pool, recordKey)) !== null;
}

/** The order is linked to the session before the charge, so that a crash cannot separate the two. */
export async function chargeStep(
  services: Services,
  from: VisitFrom,
  visit: Visit,
  context: KeyContext,
  kind: 'checkout' | 'offer',
  instrument: { id: string; customerId: string },
): Promise<CheckoutView> {
  const { session, price, node } = visit;
  if (!price) throw wrongStepError('Nothing is to be paid at this step.');
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
  // What the charge is refused for may be its own first call, such as an order that it pays.
  const recordKey = recordKeyOf(context, 'processPayment');
  await afterChange(() => withFirstAnswer<unknown>(context, recordKey, charge, () => null));
  return followPayment(services, from, visit);
}

/** The payment flow of the step. Null if it was deleted: the charge then uses the flow of the store. */
async function paymentFlowOf({ context, session, config }: Visit): Promise<string | null> {
  const id = textIn(config, 'paymentFlowId');
  if (id === null) return null;
  const where = { id, platformAccountId: session.platformAccountId };
  return (await context.services.prisma.paymentFlow.findFirst({ where, select: { id: true } }))?.id ?? null;
}

/** The order of the step. A step has one order, however many attempts there are, so that it is paid once. */
function orderOfStep(visit: Visit, kind: 'checkout' | 'offer', customerId: string): Promise<string> {
  const { context, session, node, price } = visit;
  return write(context, 'orderForStep', async (change) => {
    const { tx, now, passed } = change;
    const locked = await lockSession(tx, session.id);
    if (locked.currentStepId !== node.id || locked.expiresAt <= passed || !price)
      throw wrongStepError('The session has moved on meanwhile.');
    const known = await tx.funnelOrder.findUnique({
      where: { sessionId_stepId: { sessionId: session.id, stepId: node.id } },
    });
    if (known) {
      await tx.funnelOrder.update({ where: { orderId: known.orderId }, data: { open: true } });
      // An unpaid order belongs to the customer of the latest attempt, who may give another e-mail address.
      await tx.order.updateMany({
        where: { id: known.orderId, paymentId: null },
        data: { customerId, updatedAt: now },
      });
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
    await tx.funnelOrder.create({
      data: {
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
      },
    });
    return order.id;
  });
}

/** Applies the outcome of the step's payment, which was asked for before, to the session, and returns the current step. */
export function followPayment(
  services: Services,
  from: VisitFrom,
  { context, session, node }: Visit,
): Promise<CheckoutView> {
  return afterChange(async () => {
    const known = await services.prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
    if (known) await followOrder(context, known.orderId);
    return readCheckout(services, from);
  });
}
