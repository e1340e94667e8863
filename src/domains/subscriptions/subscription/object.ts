import type { PaymentObject } from '../../payments/public.ts';
import { type ActionRequired, actionRequiredOf } from '../cardholder/link.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';
import { incompleteMs } from './lifecycle.ts';

/** A change of price that is not in force, as the API returns it. */
export interface PendingUpdate {
  priceId: string;
  quantity: number;
  paymentId: string | null;
  expiresAt: Date | null;
}

type PendingColumns = Pick<
  SubscriptionRow,
  | 'pendingPriceId'
  | 'pendingQuantity'
  | 'pendingInstrumentId'
  | 'pendingPaymentId'
  | 'pendingExpiresAt'
  | 'latestPaymentId'
>;

/** The columns of a subscription without a pending change. */
export const noPendingUpdate = {
  pendingPriceId: null,
  pendingQuantity: null,
  pendingInstrumentId: null,
  pendingPaymentId: null,
  pendingExpiresAt: null,
} as const;

/**
 * The pending change, or null. A change that is being charged is shown once its payment is known to be pending: most
 * payments succeed or fail within the call, and no event reports the time between.
 */
export function pendingUpdateOf(subscription: PendingColumns): PendingUpdate | null {
  const { pendingPriceId: priceId, pendingQuantity: quantity } = subscription;
  const { pendingPaymentId: paymentId, pendingExpiresAt: expiresAt } = subscription;
  if (priceId === null || quantity === null) return null;
  if (paymentId !== null && paymentId !== subscription.latestPaymentId) return null;
  return { priceId, quantity, paymentId, expiresAt };
}

/** Whether the charge of a period pays for the pending change. */
export function paysForChange(
  { pendingPaymentId }: PendingColumns,
  { paymentId }: Pick<PeriodRow, 'paymentId'>,
): boolean {
  return pendingPaymentId !== null && pendingPaymentId === paymentId;
}

/** The shortest time that a cardholder has for a challenge, as for any other charge. */
const challengeMinMs = 30 * 60_000;

/** When a change whose payment is pending expires. It does not delay the renewal of a period that ends sooner. */
export function pendingUntil(now: Date, { currentPeriodEnd }: Pick<SubscriptionRow, 'currentPeriodEnd'>): Date {
  const latest = Math.min(now.getTime() + incompleteMs, currentPeriodEnd.getTime());
  return new Date(Math.max(latest, now.getTime() + challengeMinMs));
}

/** A subscription as the API returns it (rest/public/subscriptions.graphql), with its latest payment. */
export interface SubscriptionObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  customerId: string;
  paymentInstrumentId: string;
  priceId: string;
  quantity: number;
  amount: number;
  currency: string;
  interval: string;
  intervalCount: number;
  status: string;
  trialEndsAt: Date | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  nextBillingDate: Date | null;
  balance: number;
  cancelAtPeriodEnd: boolean;
  canceledAt: Date | null;
  cancellationReason: string | null;
  pausedAt: Date | null;
  resumeAt: Date | null;
  pendingUpdate: PendingUpdate | null;
  /** Its `link` contains no secret: `withLinkUrls` completes it where the object is shown. */
  actionRequired: ActionRequired | null;
  latestPaymentId: string | null;
  testClockId: string | null;
  metadata: unknown;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
  latestPayment: PaymentObject | null;
}

export function subscriptionObject(
  subscription: SubscriptionRow,
  latestPayment: PaymentObject | null,
): SubscriptionObject {
  return {
    id: subscription.id,
    storeId: subscription.storeId,
    platformAccountId: subscription.platformAccountId,
    customerId: subscription.customerId,
    paymentInstrumentId: subscription.paymentInstrumentId,
    priceId: subscription.priceId,
    quantity: subscription.quantity,
    amount: Number(subscription.amount),
    currency: subscription.currency,
    interval: subscription.interval,
    intervalCount: subscription.intervalCount,
    status: subscription.status,
    trialEndsAt: subscription.trialEndsAt,
    currentPeriodStart: subscription.currentPeriodStart,
    currentPeriodEnd: subscription.currentPeriodEnd,
    nextBillingDate: subscription.nextBillingDate,
    balance: Number(subscription.balance),
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    canceledAt: subscription.canceledAt,
    cancellationReason: subscription.cancellationReason,
    pausedAt: subscription.pausedAt,
    resumeAt: subscription.resumeAt,
    pendingUpdate: pendingUpdateOf(subscription),
    actionRequired: actionRequiredOf(subscription),
    latestPaymentId: subscription.latestPaymentId,
    testClockId: subscription.testClockId,
    metadata: subscription.metadata,
    livemode: subscription.mode === 'live',
    createdAt: subscription.createdAt,
    updatedAt: subscription.updatedAt,
    latestPayment,
  };
}
