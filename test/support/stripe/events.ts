import Stripe from 'stripe';
import type { Ledger, StripeEvent } from './ledger.ts';

/** The URL that events are sent to, and the signing secret. */
export interface EventTarget {
  url: string;
  secret: string;
}

/** Sends an event as Stripe does: signed over its bytes and the time. */
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

/** Sends the new events of an account, in order, and returns the statuses of the answers. */
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
