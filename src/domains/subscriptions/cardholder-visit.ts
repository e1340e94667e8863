import { assertMayCharge, assertOpenToVisitors } from '../../auth/standing.ts';
import type { Payment } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { type VisitorRequest, visitorContext } from '../../graph/visitor-context.ts';
import { Gone, NotFound } from '../../kit/errors.ts';
import { type Brand, brandFields, brandOf } from '../../look/brand.ts';
import type { Services } from '../../services.ts';
import { linkIdOf, periodOfLink } from './cardholder-link.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** A request of the hosted page on which a cardholder pays. The link comes in its path. */
export interface CardholderRequest extends VisitorRequest {
  link: string;
}

/** What a link opens: a period that is owed, and a caller to whom only its account is visible. */
export interface CardholderVisit {
  context: KeyContext;
  linkId: string;
  subscription: SubscriptionRow;
  period: PeriodRow;
  shown: {
    brand: Brand;
    storeName: string;
    productName: string;
    card: { brand: string; last4: string };
  };
}

const shownFields = {
  price: { select: { product: { select: { name: true } } } },
  paymentInstrument: { select: { brand: true, last4: true } },
  store: { select: { name: true, account: { select: { status: true, partner: { select: partnerFields() } } } } },
} as const;

function partnerFields() {
  return { ...brandFields, status: true } as const;
}

/** Whether the period of a link is the one for which the subscription is past due. */
export function isOwed(subscription: Pick<SubscriptionRow, 'id' | 'status' | 'periodIndex'>, linkId: string): boolean {
  return subscription.status === 'past_due' && linkIdOf(subscription) === linkId;
}

export function overError(): Gone {
  return new Gone('Nothing is to be paid here any more: the period was paid, or the subscription has ended.');
}

/** 404 if the platform did not make the link, 410 if nothing is owed any more, 403 if its account may not charge. */
export async function openCardholderVisit(
  services: Services,
  { link, ...from }: CardholderRequest,
): Promise<CardholderVisit> {
  const linked = periodOfLink(services.config, link);
  const found =
    linked &&
    (await services.prisma.subscription.findUnique({ where: { id: linked.subscriptionId }, include: shownFields }));
  if (!linked || !found) throw new NotFound('There is no such page.');
  const { price, paymentInstrument: card, store, ...subscription } = found;
  const linkId = linkIdOf({ id: found.id, periodIndex: linked.index });
  if (!isOwed(found, linkId)) throw overError();
  const { account } = store;
  assertOpenToVisitors(account);
  assertMayCharge({ accountStatus: account.status, partnerStatus: account.partner.status });
  const period = await services.prisma.subscriptionPeriod.findUniqueOrThrow({
    where: { subscriptionId_index: { subscriptionId: found.id, index: linked.index } },
  });
  return {
    context: visitorContext(services, { ...subscription, id: linkId }, from),
    linkId,
    subscription,
    period,
    shown: { brand: brandOf(account.partner), storeName: store.name, productName: price.product.name, card },
  };
}

/** What a page says in whose name when it cannot be paid. Null if the platform did not make the link. */
export async function readCardholderPlace(
  { prisma, config }: Services,
  link: string,
): Promise<{ brand: Brand; isPaid: boolean } | null> {
  const linked = periodOfLink(config, link);
  if (!linked) return null;
  const { subscriptionId, index } = linked;
  const period = await prisma.subscriptionPeriod.findUnique({
    where: { subscriptionId_index: { subscriptionId, index } },
    select: { status: true, subscription: { select: { store: { select: shownFields.store.select } } } },
  });
  return period && { brand: brandOf(period.subscription.store.account.partner), isPaid: period.status === 'paid' };
}

/** The payment that is under way for the period: null if none is, undefined if its charge is only starting. */
export async function paymentUnderWay({ context, subscription, period }: CardholderVisit) {
  if (subscription.chargingSince === null) return null;
  const { paymentId } = period;
  const payment = paymentId && (await context.services.prisma.payment.findUnique({ where: { id: paymentId } }));
  return payment || undefined;
}

export function isChallenged(payment: Payment | null | undefined): payment is Payment {
  return payment?.status === 'pending' && payment.subStatus === 'requires_action';
}
