import { incompleteMs } from './lifecycle.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** A change of price that is not in force, as the API answers it. */
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
 * The pending change, or null. A change that is charged is shown once its payment is known to wait: most payments
 * succeed or fail within the call, and no event tells of the time between.
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

/** When a change that waits for its payment expires. The renewal of a period that ends sooner is not kept waiting. */
export function pendingUntil(now: Date, { currentPeriodEnd }: Pick<SubscriptionRow, 'currentPeriodEnd'>): Date {
  const latest = Math.min(now.getTime() + incompleteMs, currentPeriodEnd.getTime());
  return new Date(Math.max(latest, now.getTime() + challengeMinMs));
}
