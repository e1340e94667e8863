import Stripe from 'stripe';
import type { Ledger, StripeEvent } from './ledger.ts';

/** Where events go, and what they are signed with. */
export interface EventTarget {
  url: string;
  secret: string;
}

/** Sends an event as Stripe does: signed over its bytes and the moment. */
export function sendEvent(
  event: StripeEvent,
  { url, secret }: EventTarget,
  change: { body?: string; signature?: string; timestamp?: number } = {},
): Promise<Response> {
  const payload = JSON.stringify(event);
  const signature =
    change.signature ??
    Stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      ...(change.timestamp !== undefined && { timestamp: change.timestamp }),
    });
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    body: change.body ?? payload,
  });
}

/** Sends what has happened in an account since the last time, in order, and gives the statuses. */
export function eventsOf(ledger: Ledger, target: () => EventTarget) {
  let sent = 0;
  return {
    async deliver(): Promise<number[]> {
      const statuses: number[] = [];
      for (; sent < ledger.events.length; sent++) {
        const event = ledger.events[sent];
        if (event) statuses.push((await sendEvent(event, target())).status);
      }
      return statuses;
    },
  };
}
