import type { EventType } from '../../domains.ts';
import type { EventDraft } from '../../write/records.ts';
import { rowEvent } from '../../write/row-event.ts';
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
  const object = subscriptionObject(subscription, latestPayment && paymentObject(latestPayment));
  return rowEvent(type, subscription, object);
}
