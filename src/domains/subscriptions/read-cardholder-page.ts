import { afterChange } from '../../database/through-outage.ts';
import type { Services } from '../../services.ts';
import { continuePayment, type UnpaidReason, unpaidReasonOf } from '../payments/public.ts';
import { actionRequiredOf } from './action-required.ts';
import {
  type CardholderRequest,
  type CardholderVisit,
  isChallenged,
  openCardholderVisit,
  paymentUnderWay,
} from './cardholder-visit.ts';
import { followPayment } from './charge-period.ts';
import { type ActionReason, lastRetryAt } from './lifecycle.ts';
import { atSubscriptionsTime } from './subscription-rows.ts';

type Shown = CardholderVisit['shown'];

/** What the hosted page shows. Nothing of it is secret to the customer of the subscription. */
export interface CardholderView extends Shown {
  livemode: boolean;
  /** Minor units of `currency`. */
  amount: number;
  currency: string;
  reason: ActionReason | null;
  /** Whether it can be paid, a challenge waits to be answered, or a charge is under way. */
  state: 'open' | 'challenge' | 'processing';
  /** Why the cardholder's latest attempt was not paid. Null without one. */
  unpaid: UnpaidReason | null;
  /** When the subscription ends if it is not paid. */
  endsAt: Date;
}

/** Reads the page. A challenge that was answered is continued first. */
export async function readCardholderPage(services: Services, from: CardholderRequest): Promise<CardholderView> {
  const visit = await openContinued(services, from);
  const { subscription, period, shown } = visit;
  const payment = await paymentUnderWay(visit);
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
  const payment = await paymentUnderWay(visit);
  if (!isChallenged(payment)) return visit;
  const { context, subscription } = visit;
  const { payment: after } = await continuePayment(context, payment.id);
  if (after.subStatus === 'requires_action') return visit;
  return afterChange(async () => {
    await atSubscriptionsTime(context, subscription.id, () => followPayment(context, subscription.id));
    return openCardholderVisit(services, from);
  });
}

/** The address of the issuer's challenge. Null if none waits. */
export async function readCardholderChallenge(
  services: Services,
  from: CardholderRequest,
): Promise<{ subscriptionId: string; url: string | null }> {
  const visit = await openCardholderVisit(services, from);
  const payment = await paymentUnderWay(visit);
  const { url = null } = isChallenged(payment) ? ((payment.requireActionData ?? {}) as { url?: string }) : {}; // written as RequiredAction only
  return { subscriptionId: visit.subscription.id, url };
}
