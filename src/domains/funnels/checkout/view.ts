import type { Payment } from '../../../generated/prisma/client.ts';
import type { Services } from '../../../services.ts';
import type { Words } from '../../../theme/words.ts';
import { unpaidReasonOf, unpaidTexts } from '../../payments/public.ts';
import { isEnd } from '../graph/next-step.ts';
import { type FunnelGraph, type FunnelNode, offeringStepTypes } from '../graph/rules.ts';
import { priceOf, type StepPrice } from '../graph/step-config.ts';
import { checkoutToken } from '../sessions/rows.ts';
import { openVisit, urlOfSession, type Visit, type VisitFrom } from './visit.ts';

/**
 * The data of a page: the step, its price, its payment, and the next address. It contains nothing internal to the
 * merchant.
 */
export interface CheckoutView {
  sessionId: string;
  status: string;
  livemode: boolean;
  storeName: string;
  expiresAt: Date;
  step: {
    id: string;
    name: string | null;
    type: string;
    variantId: string | null;
    config: object;
    price: StepPrice | null;
    isOffer: boolean;
  };
  /**
   * The latest payment of this step. `url` redirects to the issuer's challenge, and from there back. `reason` and
   * `message` say why it was not paid; the message is in the language of the request.
   */
  payment: { status: string; url: string | null; reason: string | null; message: string | null } | null;
  /** The card with which an offer is paid. */
  card: { brand: string; last4: string } | null;
  /** The price of the checkout after this step, if there is one and it has one price. */
  priceAhead: StepPrice | null;
  /** The email address of the visitor's order; null before the first order. */
  email: string | null;
  orders: {
    id: string;
    amount: number;
    currency: string;
    status: string;
    items: { name: string; quantity: number; unitAmount: number }[];
  }[];
  done: boolean;
  /** The page of the current step, to which a page of another step redirects. */
  url: string | null;
}

export async function viewOf(visit: Visit): Promise<CheckoutView> {
  const { context, session, graph, node, config, price } = visit;
  const { prisma } = context.services;
  const orders = await prisma.funnelOrder.findMany({
    where: { sessionId: session.id },
    include: { order: { include: { customer: { select: { email: true } } } } },
    orderBy: { createdAt: 'asc' },
  });
  const payment = await latestPaymentOf(visit, orders.find(({ stepId }) => stepId === node.id)?.orderId);
  const instrument =
    session.paymentInstrumentId === null
      ? null
      : await prisma.paymentInstrument.findUnique({ where: { id: session.paymentInstrumentId } });
  const { name: storeName } = await prisma.store.findUniqueOrThrow({ where: { id: session.storeId } });
  const placed = orders.filter(({ order }) => order.status !== 'pending' && order.status !== 'failed');
  const { instanceId: _instance, paymentFlowId: _flow, path: _path, ...shown } = config;
  return {
    sessionId: session.id,
    status: session.status,
    livemode: session.mode === 'live',
    storeName,
    expiresAt: session.expiresAt,
    step: {
      id: node.id,
      name: node.name,
      type: node.type,
      variantId: session.variantId,
      config: shown,
      price,
      isOffer: offeringStepTypes.includes(node.type),
    },
    payment: payment && paymentShown(payment, challengeUrlOf(visit), visit.words),
    card: instrument && { brand: instrument.brand, last4: instrument.last4 },
    priceAhead: priceAhead(graph, node),
    email: placed[0]?.order.customer?.email ?? null,
    orders: placed.map(({ order }) => ({
      id: order.id,
      amount: Number(order.amount),
      currency: order.currency,
      status: order.status,
      items: itemsShown(order.items),
    })),
    done: isEnd(graph, node.id),
    url: await urlOfSession(context.services, session),
  };
}

/** The price of the only checkout to which a landing page leads. Null if it may differ between visitors. */
function priceAhead({ nodes, edges }: FunnelGraph, node: FunnelNode): StepPrice | null {
  const targets = new Set(edges.filter(({ source }) => source === node.id).map(({ target }) => target));
  const ahead = nodes.filter(({ id }) => targets.has(id));
  const [checkout, ...others] = ahead;
  if (node.type !== 'landing' || checkout?.type !== 'checkout' || others.length > 0) return null;
  const isVarying = checkout.variants.some(({ config }) => config['items'] != null || config['currency'] != null);
  return isVarying ? null : priceOf(checkout.config);
}

async function latestPaymentOf({ context }: Visit, orderId: string | undefined): Promise<Payment | null> {
  if (orderId === undefined) return null;
  return context.services.prisma.payment.findFirst({
    where: { orderId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

function challengeUrlOf({ context, session }: Visit): string {
  const { config } = context.services;
  return `${config.publicUrl}/checkout/sessions/${checkoutToken(config, session.id)}/challenge`;
}

function itemsShown(items: unknown): CheckoutView['orders'][number]['items'] {
  const known = items as { name: string; quantity: number; unitAmount: number }[]; // orders are written as such only
  return known.map(({ name, quantity, unitAmount }) => ({ name, quantity, unitAmount }));
}

/** The fields of a payment that the payer may see. */
function paymentShown(payment: Payment, challengeUrl: string, { text }: Words): CheckoutView['payment'] {
  const open = { url: null, reason: null, message: null };
  const { status, subStatus } = payment;
  if (status === 'pending')
    return subStatus === 'requires_action'
      ? { ...open, status: 'requires_action', url: challengeUrl }
      : { ...open, status: 'processing' };
  const reason = unpaidReasonOf(payment);
  return reason === null
    ? { ...open, status: 'succeeded' }
    : { status, url: null, reason, message: text(unpaidTexts[reason]) };
}

export async function readCheckout(services: Services, from: VisitFrom): Promise<CheckoutView> {
  return viewOf(await openVisit(services, from));
}
