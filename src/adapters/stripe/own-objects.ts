import type Stripe from 'stripe';
import { UnknownOutcome } from '../../ports/card-processor.ts';

/** What an answer must agree with, as far as it is known; the amount in Stripe's unit. */
interface Expected {
  reference: string;
  amount?: number | undefined;
  currency?: string | undefined;
}

/**
 * The payment intent of an answer, if it is the one that was asked for. Any other, or none, says nothing about the
 * charge: its outcome is unknown.
 */
export function ownIntent(
  intent: Stripe.PaymentIntent,
  { reference, amount, currency }: Expected,
): Stripe.PaymentIntent {
  const isOwn =
    isId(intent?.id) &&
    intent.metadata?.['reference'] === reference &&
    (amount === undefined || intent.amount === amount) &&
    (currency === undefined || intent.currency === currency.toLowerCase()) &&
    !(
      intent.status === 'succeeded' &&
      intent.capture_method === 'automatic' &&
      intent.amount_received !== intent.amount
    );
  if (!isOwn) throw new UnknownOutcome(reference, 'Stripe returned a charge that is not the one asked for');
  return intent;
}

/** The same of a refund. */
export function ownRefund(
  refund: Stripe.Refund,
  { reference, amount, currency, intentId }: Expected & { intentId: string },
): Stripe.Refund {
  const intent: unknown = refund?.payment_intent;
  const isOwn =
    isId(refund?.id) &&
    refund.metadata?.['reference'] === reference &&
    (intent === intentId ||
      (typeof intent === 'object' && intent !== null && 'id' in intent && intent.id === intentId)) &&
    (amount === undefined || refund.amount === amount) &&
    (currency === undefined || refund.currency === currency.toLowerCase());
  if (!isOwn) throw new UnknownOutcome(reference, 'Stripe returned a refund that is not the one asked for');
  return refund;
}

/** The payment intent after a capture or void, if it shows what was asked for. */
export function modifiedIntent(
  intent: Stripe.PaymentIntent,
  { reference, id, status, received }: { reference: string; id: string; status: string; received?: number },
): Stripe.PaymentIntent {
  const isDone =
    intent?.id === id && intent.status === status && (received === undefined || intent.amount_received === received);
  if (!isDone) throw new UnknownOutcome(reference, 'Stripe returned a charge that is not as asked for');
  return intent;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{1,255}$/.test(value);
}
