import { assertMayCharge, assertOpenToVisitors } from '../../../auth/charging-status.ts';
import { type TenantContext, type VisitorRequest, visitorContext } from '../../../call/context.ts';
import { perhapsDoneIfUnavailable } from '../../../database/outage-retry.ts';
import type { Payment } from '../../../generated/prisma/client.ts';
import { Gone, NotFound } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import { type Brand, brandFields, brandOf } from '../../../theme/brand.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { lockCustomer } from '../../customers/public.ts';
import { asCardAttempt, createPaymentInstrument, tokenizeCard } from '../../instruments/public.ts';
import { abandonChallenge, continuePayment, type UnpaidReason, unpaidReasonOf } from '../../payments/public.ts';
import { chargeOpenPeriod, followPayment } from '../periods/charge-period.ts';
import { reopenPeriod } from '../periods/open-period.ts';
import { type ActionReason, lastRetryAt } from '../subscription/lifecycle.ts';
import { atSubscriptionsTime, lockSubscription } from '../subscription/rows.ts';
import { instrumentFor } from '../subscription/terms.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';
import { actionRequiredOf, linkIdOf, periodOfLink } from './link.ts';

/** A request of the hosted page on which a cardholder pays. Its path contains the link. */
export interface CardholderRequest extends VisitorRequest {
  link: string;
}

/** What a link grants: a period that is owed, and a caller to whom only its account is visible. */
interface CardholderVisit {
  context: TenantContext;
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
function isOwed(subscription: Pick<SubscriptionRow, 'id' | 'status' | 'periodIndex'>, linkId: string): boolean {
  return subscription.status === 'past_due' && linkIdOf(subscription) === linkId;
}

function overError(): Gone {
  return new Gone('No payment is due: the period was paid, or the subscription has ended.');
}

/** 404 if the platform did not create the link, 410 if nothing is owed any more, 403 if its account may not charge. */
async function openCardholderVisit(services: Services, { link, ...from }: CardholderRequest): Promise<CardholderVisit> {
  const linked = periodOfLink(services.config, link);
  const found =
    linked &&
    (await services.prisma.subscription.findUnique({ where: { id: linked.subscriptionId }, include: shownFields }));
  if (!linked || !found) throw new NotFound('Page not found.');
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

/**
 * The brand of a page that cannot be opened, and whether its period is paid. Null if the platform did not create the
 * link.
 */
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

/** The payment in progress for the period: null if there is none, undefined if its charge is only starting. */
async function paymentInFlight({ context, subscription, period }: CardholderVisit) {
  if (subscription.chargingSince === null) return null;
  const { paymentId } = period;
  const payment = paymentId && (await context.services.prisma.payment.findUnique({ where: { id: paymentId } }));
  return payment || undefined;
}

function isChallenged(payment: Payment | null | undefined): payment is Payment {
  return payment?.status === 'pending' && payment.subStatus === 'requires_action';
}

type Shown = CardholderVisit['shown'];

/** The content of the hosted page. None of it is secret to the customer of the subscription. */
export interface CardholderView extends Shown {
  livemode: boolean;
  /** Minor units of `currency`. */
  amount: number;
  currency: string;
  reason: ActionReason | null;
  /** Whether it can be paid, a challenge is unanswered, or a charge is in progress. */
  state: 'open' | 'challenge' | 'processing';
  /** Why the cardholder's latest attempt was not paid. Null without one. */
  unpaid: UnpaidReason | null;
  /** When the subscription ends if the period is not paid. */
  endsAt: Date;
}

/** Reads the page. A challenge that was answered is continued first. */
export async function readCardholderPage(services: Services, from: CardholderRequest): Promise<CardholderView> {
  const visit = await openContinued(services, from);
  const { subscription, period, shown } = visit;
  const payment = await paymentInFlight(visit);
  const latest =
    subscription.latestPaymentId === null
      ? null
      : await services.prisma.payment.findUnique({ where: { id: subscription.latestPaymentId } });
  return {
    ...shown,
    livemode: subscription.mode === 'live',
    amount: Number(period.amount),
    currency: period.currency,
    reason: actionRequiredOf(subscription)?.reason ?? null,
    state: payment === null ? 'open' : isChallenged(payment) ? 'challenge' : 'processing',
    unpaid: latest?.initiatedBy === 'customer' ? unpaidReasonOf(latest) : null,
    endsAt: lastRetryAt(subscription.firstFailedAt ?? services.clock.now()),
  };
}

async function openContinued(services: Services, from: CardholderRequest): Promise<CardholderVisit> {
  const visit = await openCardholderVisit(services, from);
  const payment = await paymentInFlight(visit);
  if (!isChallenged(payment)) return visit;
  const { context, subscription } = visit;
  const { payment: after } = await continuePayment(context, payment.id);
  if (after.subStatus === 'requires_action') return visit;
  return perhapsDoneIfUnavailable(async () => {
    await atSubscriptionsTime(context, subscription.id, () => followPayment(context, subscription.id));
    return openCardholderVisit(services, from);
  });
}

/** The address of the issuer's challenge. Null if there is none. */
export async function readCardholderChallenge(
  services: Services,
  from: CardholderRequest,
): Promise<{ subscriptionId: string; url: string | null }> {
  const visit = await openCardholderVisit(services, from);
  const payment = await paymentInFlight(visit);
  const { url = null } = isChallenged(payment) ? ((payment.requireActionData ?? {}) as { url?: string }) : {}; // written as RequiredAction only
  return { subscriptionId: visit.subscription.id, url };
}

/** A card as its holder enters it. */
export interface CardholdersCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/**
 * Charges the period that is owed, as the cardholder requests on the hosted page: the card of the subscription, or
 * another one, which becomes the subscription's card when it has paid. While another charge of the period is in
 * progress nothing is charged, so that the period is paid once; an open challenge is abandoned for another card.
 * Nothing is charged if the amount of the period is no longer `amount`, which the page has shown; null is not compared.
 */
export async function payAsCardholder(
  services: Services,
  from: CardholderRequest,
  amount: number | null,
  card: CardholdersCard | null,
): Promise<void> {
  const visit = { ...(await openCardholderVisit(services, from)), amount };
  if (isOther(visit.period, amount)) return;
  const pay = (): Promise<void> => payOnce(services, from, visit, card);
  if (visit.subscription.chargingSince === null) await pay();
  else if (card && (await giveUpChallenge(visit))) await perhapsDoneIfUnavailable(pay);
}

/** What the cardholder agrees to pay, in minor units. */
type Paying = CardholderVisit & { amount: number | null };

function isOther(period: PeriodRow, amount: number | null): boolean {
  return amount !== null && amount !== Number(period.amount);
}

function payOnce(
  services: Services,
  { ip }: CardholderRequest,
  visit: Paying,
  card: CardholdersCard | null,
): Promise<void> {
  const { context, linkId, subscription } = visit;
  const { storeId, customerId } = subscription;
  return asCardAttempt(services, { sessionId: linkId, storeId, ip }, async () => {
    if (!card) return charge(visit, null);
    // In real time, like all times of card tokens.
    const { token } = await tokenizeCard(context, { storeId, ...card });
    return perhapsDoneIfUnavailable(async () => {
      const { paymentInstrument } = await createPaymentInstrument(context, { storeId, token, customerId });
      return charge(visit, paymentInstrument.id);
    });
  });
}

/** Charges the period with the instrument, or that of the subscription if none is named. */
function charge(visit: Paying, named: string | null): Promise<void> {
  const { context, subscription } = visit;
  return atSubscriptionsTime(context, subscription.id, async () => {
    const isOpen = await write(context, 'payAsCardholder', (change) => open(change, visit, named));
    if (isOpen) await chargeOpenPeriod(context, subscription.id);
  });
}

/** Ends a challenge that the cardholder has not answered. False if the charge continues, or has ended otherwise. */
async function giveUpChallenge(visit: CardholderVisit): Promise<boolean> {
  const { context, subscription } = visit;
  const payment = await paymentInFlight(visit);
  if (!isChallenged(payment)) return false;
  return atSubscriptionsTime(context, subscription.id, async () => {
    await abandonChallenge(context.services, payment.id);
    return perhapsDoneIfUnavailable(async () => {
      await followPayment(context, subscription.id);
      const { status } = await context.services.prisma.payment.findUniqueOrThrow({ where: { id: payment.id } });
      return status === 'failed';
    });
  });
}

/** Opens the period for the charge. False if another tab or the job was faster, or its amount has changed. */
async function open(
  change: Write,
  { context, linkId, amount, period: { index }, subscription: { id, customerId, platformAccountId } }: Paying,
  named: string | null,
): Promise<boolean> {
  const { tx } = change;
  const before = await lockSubscription(tx, context.tenant, id);
  if (!isOwed(before, linkId)) throw overError();
  if (before.chargingSince !== null) return false;
  const period = await tx.subscriptionPeriod.findUniqueOrThrow({
    where: { subscriptionId_index: { subscriptionId: id, index } },
  });
  if (isOther(period, amount)) return false;
  if (named !== null) {
    // Otherwise the card could be deleted concurrently.
    await lockCustomer(tx, customerId);
    await instrumentFor(tx, { id: customerId, platformAccountId }, named);
  }
  await reopenPeriod(change, before, named ?? before.paymentInstrumentId);
  return true;
}
