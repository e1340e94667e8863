import type { PaymentObject } from '../payments/public.ts';
import { type ActionRequired, actionRequiredOf } from './action-required.ts';
import { type PendingUpdate, pendingUpdateOf } from './pending-update.ts';
import type { SubscriptionRow } from './types.ts';

/** A subscription as the API answers it (rest/public/subscriptions/subscription.graphql), with its latest payment. */
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
  /** Its `link` has no secret: `shownData` completes it where the object is shown. */
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
