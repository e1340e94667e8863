import type { Env } from '../env.ts';
import type { FunnelSession, Payment } from '../generated/prisma/client.ts';
import { createPaymentInstrument } from '../instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../instruments/tokenize-card.ts';
import { requestHashOf } from '../kit/canonical-json.ts';
import { Conflict, NotFound } from '../kit/errors.ts';
import { findStoredCall } from '../kit/idempotency.ts';
import { scopeOf, write } from '../kit/write.ts';
import type { KeyContext } from '../graph/context.ts';
import { addOrder } from '../orders/operations.ts';
import { continuePayment } from '../payments/continue-payment.ts';
import { processPayment } from '../payments/process-payment.ts';
import {
  assertOpen,
  type CheckoutView,
  openVisit,
  viewOf,
  type Visit,
  type VisitFrom,
  visitorContext,
} from './checkout-session.ts';
import { followOrder } from './follow-payments.ts';
import { noSuchFunnel } from './funnel-records.ts';
import { offeringStepTypes } from './lifecycle.ts';
import { moveSession } from './move-session.ts';
import { entryOf } from './next-step.ts';
import { keptGraph } from './funnel-records.ts';
import { lockSession } from './session-records.ts';
import { beginSession } from './sessions.ts';
import { textIn } from './step-config.ts';
import { urlOfSession } from './step-url.ts';

/*
 * What a visitor's page may do. It holds the session's link and nothing else; what is asked of whom is the funnel's business: no
 * price, currency or outcome is taken from the page. A page names the step it shows: when the session stands elsewhere by then,
 * nothing happens, and the answer says where.
 */

export interface CardEntered {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/** Begins a session for whoever opens the funnel's own link, and gives its first page. */
export async function enterFunnel(env: Env, funnelId: string, from: Omit<VisitFrom, 'token'>): Promise<string> {
  const found = /^funnel_[0-9A-Za-z]{1,64}$/.test(funnelId)
    ? await env.prisma.funnel.findUnique({
        where: { id: funnelId },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw noSuchFunnel();
  const { store, ...funnel } = found;
  assertOpen(store.account.partner.status);
  const { config, variants } = entryOf(keptGraph(funnel));
  // Nobody is counted who has nothing to see.
  if ([config, ...variants.map((variant) => variant.config)].every((each) => textIn(each, 'instanceId') === null))
    throw noPage();
  const context = visitorContext(env, funnel, from);
  const session = await write(context, 'enterFunnel', (change) => beginSession(context, change, funnel, null));
  const url = await urlOfSession(env, session);
  if (url === null) throw noPage();
  return url;
}

function noPage(): NotFound {
  return new NotFound('The funnel has no page to begin with: its plugin is mounted nowhere.');
}

export async function readCheckout(env: Env, from: VisitFrom): Promise<CheckoutView> {
  return viewOf(await openVisit(env, from));
}

/** Where the bank asks the visitor to confirm, if it does, and where the visitor comes back to. */
export async function readChallenge(
  env: Env,
  from: VisitFrom,
): Promise<{ sessionId: string; bankUrl: string | null; url: string | null }> {
  const { session, node } = await openVisit(env, from);
  const known = await env.prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
  const payment = known && (await challengedPayment(env, known.orderId));
  const { url = null } = (payment?.requireActionData ?? {}) as { url?: string }; // written as RequiredAction only
  return { sessionId: session.id, bankUrl: url, url: await urlOfSession(env, session) };
}

function challengedPayment({ prisma }: Env, orderId: string): Promise<Payment | null> {
  return prisma.payment.findFirst({
    where: { orderId, status: 'pending', subStatus: 'requires_action' },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Pays what the step asks with a card. The same attempt again is the same payment, however often it is sent. */
export async function payCheckout(
  env: Env,
  from: VisitFrom,
  { stepId, attemptId, email, card }: { stepId: string; attemptId: string; email: string; card: CardEntered },
): Promise<CheckoutView> {
  const visit = await openVisit(env, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  const context = attemptOf(visit, attemptId);
  const scope = scopeOf(context, 'processPayment');
  if (scope && (await findStoredCall(env.pool, scope))) return afterPayment(env, from, visit);
  const { storeId } = visit.session;
  if (visit.node.type !== 'checkout' || visit.price === null) throw notHere('Nothing is to be paid at this step.');
  const plain = visit.context;
  const { token } = await tokenizeCard(plain, { storeId, ...card });
  const { paymentInstrument } = await createPaymentInstrument(plain, { storeId, token, customerData: { email } });
  return charge(env, from, visit, context, 'checkout', paymentInstrument);
}

/** Takes an offer, with the card that paid before. */
export async function acceptOffer(
  env: Env,
  from: VisitFrom,
  { stepId, attemptId }: { stepId: string; attemptId: string },
): Promise<CheckoutView> {
  const visit = await openVisit(env, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  const context = attemptOf(visit, attemptId);
  const scope = scopeOf(context, 'processPayment');
  if (scope && (await findStoredCall(env.pool, scope))) return afterPayment(env, from, visit);
  assertOffer(visit);
  if (visit.price === null) return tell(env, from, visit, 'accept', 'offer_accepted');
  const { paymentInstrumentId } = visit.session;
  const instrument =
    paymentInstrumentId === null
      ? null
      : await env.prisma.paymentInstrument.findFirst({ where: { id: paymentInstrumentId, isActive: true } });
  if (!instrument) throw notHere('There is no card to pay the offer with: nothing was paid in this session yet.');
  return charge(env, from, visit, context, 'offer', instrument);
}

export async function declineOffer(env: Env, from: VisitFrom, { stepId }: { stepId: string }): Promise<CheckoutView> {
  const visit = await openVisit(env, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  assertOffer(visit);
  return tell(env, from, visit, 'decline', 'offer_declined');
}

/** Goes on from a landing page. */
export async function leaveLanding(env: Env, from: VisitFrom, { stepId }: { stepId: string }): Promise<CheckoutView> {
  const visit = await openVisit(env, from);
  if (visit.node.id !== stepId) return viewOf(visit);
  if (visit.node.type !== 'landing') throw notHere('The session does not stand at a landing page.');
  return tell(env, from, visit, 'continue', 'continue');
}

/** Goes on after a challenge was answered. Before, and where there is none, nothing changes. */
export async function continueCheckout(env: Env, from: VisitFrom): Promise<CheckoutView> {
  const visit = await openVisit(env, from);
  const known = await env.prisma.funnelOrder.findFirst({
    where: { sessionId: visit.session.id, stepId: visit.node.id },
  });
  const payment = known && (await challengedPayment(env, known.orderId));
  if (payment) await continuePayment(visit.context, payment.id);
  return afterPayment(env, from, visit);
}

function assertOffer({ node }: Visit): void {
  if (!offeringStepTypes.includes(node.type)) throw notHere('Nothing is offered at this step.');
}

function notHere(message: string): Conflict {
  return new Conflict('invalid_state', message);
}

/** A context under which the attempt's charge happens once. A page may name its attempts at two steps alike. */
function attemptOf({ context, session, node }: Visit, attemptId: string): KeyContext {
  const key = `checkout:${session.id}:${node.id}:${attemptId}`;
  return { ...context, idempotency: { owner: session.platformAccountId, key, requestHash: requestHashOf(key) } };
}

/** Order, then charge: the order stands with the session before anybody is asked for money, so that no crash can part the two. */
async function charge(
  env: Env,
  from: VisitFrom,
  visit: Visit,
  context: KeyContext,
  kind: 'checkout' | 'offer',
  instrument: { id: string; customerId: string },
): Promise<CheckoutView> {
  const { session, price, node } = visit;
  if (!price) throw notHere('Nothing is to be paid at this step.');
  const orderId = await orderFor(visit, kind, instrument.customerId);
  // The bank hears of no secret: the browser brings it along when it comes back.
  const returnUrl = `${env.config.publicUrl}/checkout/return/${session.id}`;
  // A flow that is gone since gives way to the store's own: nobody is turned away for it.
  const flowId = textIn(visit.config, 'paymentFlowId');
  const flow =
    flowId === null
      ? null
      : await env.prisma.paymentFlow.findFirst({
          where: { id: flowId, platformAccountId: session.platformAccountId },
          select: { id: true },
        });
  const metadata = { funnelSessionId: session.id, funnelStepId: node.id };
  const input = {
    storeId: session.storeId,
    paymentInstrumentId: instrument.id,
    amount: price.amount,
    currency: price.currency,
    orderId,
    mode: 'purchase',
    initiatedBy: 'customer',
    threeDs: 'automatic',
    metadata,
  } as const;
  await processPayment(context, {
    ...input,
    ...(flow && { paymentFlowId: flow.id }),
    ...((session.mode === 'test' || returnUrl.startsWith('https:')) && { returnUrl }),
  });
  return afterPayment(env, from, visit);
}

/** The step's one order: however many attempts there are, it is paid once. */
function orderFor(visit: Visit, kind: 'checkout' | 'offer', customerId: string): Promise<string> {
  const { context, session, node, price } = visit;
  return write(context, 'orderForStep', async (change) => {
    const { tx, now } = change;
    const locked = await lockSession(tx, session.id);
    if (locked.currentStepId !== node.id || locked.expiresAt <= now || !price)
      throw notHere('The session has moved on meanwhile.');
    const known = await tx.funnelOrder.findUnique({
      where: { sessionId_stepId: { sessionId: session.id, stepId: node.id } },
    });
    if (known) {
      await tx.funnelOrder.update({ where: { orderId: known.orderId }, data: { open: true } });
      // An order nobody has paid is of whoever tries to: a second attempt may be under another e-mail address.
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

async function afterPayment(env: Env, from: VisitFrom, { context, session, node }: Visit): Promise<CheckoutView> {
  const known = await env.prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
  if (known) await followOrder(context, known.orderId);
  return readCheckout(env, from);
}

/** Lets something happen that costs nothing: once a step, however often the button is pressed. */
async function tell(
  env: Env,
  from: VisitFrom,
  { context, session, node }: Visit,
  what: string,
  type: string,
): Promise<CheckoutView> {
  await write(context, 'tellOfStep', async (change) => {
    const locked: FunnelSession = await lockSession(change.tx, session.id);
    const busy = await change.tx.payment.count({
      where: { status: 'pending', order: { funnelOrders: { some: { sessionId: session.id, stepId: node.id } } } },
    });
    if (busy > 0) throw notHere('A payment of this step is under way.');
    return moveSession(change, locked, { id: `${what}:${node.id}`, type, data: {}, stepId: node.id });
  });
  return readCheckout(env, from);
}
