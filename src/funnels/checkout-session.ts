import { createContext, type KeyContext } from '../graph/context.ts';
import type { Env } from '../env.ts';
import type { FunnelSession, Payment } from '../generated/prisma/client.ts';
import { Forbidden, Gone, NotFound } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import { checkoutToken, isCheckoutToken, tokenHashOf } from './checkout-token.ts';
import type { FunnelGraph, FunnelNode } from './graph-rules.ts';
import { offeringStepTypes } from './lifecycle.ts';
import { isEnd, nodeOf } from './next-step.ts';
import { graphOf } from './session-records.ts';
import { configOf, priceOf, type StepConfig, type StepPrice } from './step-config.ts';
import { urlOfSession } from './step-url.ts';

/** A visitor's page, as it asks: the session its link opens, and a caller that reaches the session's account and nothing else. */
export interface Visit {
  context: KeyContext;
  session: FunnelSession;
  graph: FunnelGraph;
  node: FunnelNode;
  config: StepConfig;
  price: StepPrice | null;
}

export interface VisitFrom {
  token: string;
  requestId: string;
  ip: string;
}

/** What a link opens. 404 when there is no such session, 410 when its time is over, 403 when its partner does no business now. */
export async function openVisit(env: Env, { token, requestId, ip }: VisitFrom): Promise<Visit> {
  const found = isCheckoutToken(token)
    ? await env.prisma.funnelSession.findUnique({
        where: { tokenHash: tokenHashOf(token) },
        include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
      })
    : null;
  if (!found) throw new NotFound('There is no such checkout session.');
  const { store, ...session } = found;
  if (session.expiresAt <= env.clock.now())
    throw new Gone('This checkout session is over: nothing happened in it for a day.');
  assertOpen(store.account.partner.status);
  const context = visitorContext(env, session, { requestId, ip });
  const graph = await graphOf(env.prisma, session);
  const node = nodeOf(graph, session.currentStepId);
  const config = configOf(node, session.variantId);
  return { context, session, graph, node, config, price: priceOf(config) };
}

/** A caller that reaches the account of what the visitor came by, and acts under its name. */
export function visitorContext(
  env: Env,
  { id, partnerId, platformAccountId, mode }: Pick<FunnelSession, 'id' | 'partnerId' | 'platformAccountId' | 'mode'>,
  from: Omit<VisitFrom, 'token'>,
): KeyContext {
  const caller = {
    kind: 'subKey',
    keyId: id,
    keyPrefix: '',
    mode: mode as Mode,
    partnerId,
    platformAccountId,
  } as const; // a CHECK constraint holds mode to the two
  return { ...createContext({ env, caller, ...from }), caller, actor: { kind: 'visitor', id } };
}

export function assertOpen(partnerStatus: string): void {
  if (partnerStatus === 'suspended' || partnerStatus === 'offboarded')
    throw new Forbidden('partner_not_active', 'This checkout is closed at the moment.');
}

/** What a page is told: what this step is, what it asks, how its payment stands, and where to go. Nothing of the merchant's inside. */
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
  /** The latest payment of this step; `url` leads to the bank that asks for a confirmation, and from there back. */
  payment: { status: string; url: string | null; message: string | null } | null;
  /** The card an offer is paid with. */
  card: { brand: string; last4: string } | null;
  orders: {
    amount: number;
    currency: string;
    status: string;
    items: { name: string; quantity: number; unitAmount: number }[];
  }[];
  done: boolean;
  /** The page of the step, which is another's when the session has moved on. */
  url: string | null;
}

export async function viewOf({ context, session, graph, node, config, price }: Visit): Promise<CheckoutView> {
  const { prisma } = context.env;
  const orders = await prisma.funnelOrder.findMany({
    where: { sessionId: session.id },
    include: { order: true },
    orderBy: { createdAt: 'asc' },
  });
  const here = orders.find(({ stepId }) => stepId === node.id);
  const payment = here
    ? await prisma.payment.findFirst({
        where: { orderId: here.orderId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      })
    : null;
  const instrument =
    session.paymentInstrumentId === null
      ? null
      : await prisma.paymentInstrument.findUnique({ where: { id: session.paymentInstrumentId } });
  const { name: storeName } = await prisma.store.findUniqueOrThrow({ where: { id: session.storeId } });
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
    payment:
      payment &&
      paymentShown(
        payment,
        `${context.env.config.publicUrl}/checkout/sessions/${checkoutToken(context.env.config, session.id)}/challenge`,
      ),
    card: instrument && { brand: instrument.brand, last4: instrument.last4 },
    orders: orders
      .filter(({ order }) => order.status !== 'pending' && order.status !== 'failed')
      .map(({ order }) => ({
        amount: Number(order.amount),
        currency: order.currency,
        status: order.status,
        items: itemsShown(order.items),
      })),
    done: isEnd(graph, node.id),
    url: await urlOfSession(context.env, session),
  };
}

function itemsShown(items: unknown): CheckoutView['orders'][number]['items'] {
  return (items as { name: string; quantity: number; unitAmount: number }[]).map(({ name, quantity, unitAmount }) => ({
    name,
    quantity,
    unitAmount,
  })); // an order's items are written as such only
}

const messages: Readonly<Record<string, string>> = {
  insufficient_funds: 'The card has not enough funds. Try another card.',
  expired_card: 'The card has expired. Try another card.',
  incorrect_cvc: 'The security code is not right. Check it and try again.',
  authentication_failed: 'The card could not be confirmed. Try again or use another card.',
};

/** Of a payment what its payer may know: never which rule stood against it, nor that a card is reported lost. */
function paymentShown({ status, subStatus, failureCode }: Payment, challengeUrl: string): CheckoutView['payment'] {
  if (status === 'pending') {
    return subStatus === 'requires_action'
      ? { status: 'requires_action', url: challengeUrl, message: null }
      : { status: 'processing', url: null, message: null };
  }
  if (status === 'declined')
    return { status, url: null, message: messages[failureCode ?? ''] ?? 'The card was declined. Try another card.' };
  if (status === 'failed')
    return {
      status,
      url: null,
      message:
        subStatus === 'authentication_expired'
          ? 'The confirmation took too long. Try again.'
          : 'The payment could not be processed. Try again.',
    };
  return { status: 'succeeded', url: null, message: null };
}
