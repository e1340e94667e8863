import type { EventType } from '../../domains.ts';
import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
import { type PaymentRow, paymentObject } from '../payments/public.ts';
import { subscriptionObject } from './subscription-object.ts';
import type { SubscriptionRow } from './types.ts';

export type SubscriptionEvent = Extract<EventType, `subscription/${string}`>;

/** The event of a subscription, with the subscription and its latest payment as the API answers them. */
export function subscriptionEvent(
  type: SubscriptionEvent,
  subscription: SubscriptionRow,
  latestPayment: PaymentRow | null,
): EventDraft {
  const { partnerId, platformAccountId, storeId, mode, id: objectId, sequence } = subscription;
  const object = subscriptionObject(subscription, latestPayment && paymentObject(latestPayment));
  // a CHECK constraint holds mode to the two of its account
  return { type, partnerId, platformAccountId, mode: mode as Mode, storeId, objectId, sequence, object };
}
