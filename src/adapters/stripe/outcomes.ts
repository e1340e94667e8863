import Stripe from 'stripe';
import { type ModificationOutcome, type Outcome, ReferenceReused, UnknownOutcome } from '../../ports/card-processor.ts';
import { declineOf } from './declines.ts';

/** The outcome of the authorization that a payment intent was created for. */
export function outcomeOfIntent(intent: Stripe.PaymentIntent, reference: string): Outcome {
  const processorReference = intent.id;
  switch (intent.status) {
    case 'succeeded':
    case 'requires_capture':
      return { result: 'approved', processorReference };
    case 'requires_action': {
      const url = intent.next_action?.redirect_to_url?.url;
      if (!url) throw new UnknownOutcome(reference, 'Stripe requires an action that is not a redirect');
      return { result: 'challenge', processorReference, url };
    }
    case 'requires_payment_method':
      if (intent.last_payment_error) return declineOf(intent.last_payment_error, processorReference);
      return { result: 'error', message: 'Stripe did not attempt the charge.', processorReference };
    case 'canceled':
      // An intent that was voided had been approved. An intent whose challenge was not completed had not.
      return wasHeld(intent)
        ? { result: 'approved', processorReference }
        : declineOf({ code: 'payment_intent_authentication_failure' }, processorReference);
    case 'requires_confirmation':
      return { result: 'error', message: 'Stripe did not attempt the charge.', processorReference };
    default:
      throw new UnknownOutcome(reference, `Stripe returned the status ${intent.status}`);
  }
}

export function wasHeld(intent: Stripe.PaymentIntent): boolean {
  return intent.latest_charge !== null && intent.last_payment_error === null;
}

/** The id of the charge, used as the reference of a capture or void. The authorization has the id of the intent. */
export function chargeIdOf({ latest_charge: charge, id }: Stripe.PaymentIntent): string {
  return typeof charge === 'string' ? charge : (charge?.id ?? `${id}:end`);
}

export function refundOutcome({ id, status }: Stripe.Refund, reference: string): ModificationOutcome {
  if (status === 'succeeded') return { result: 'approved', processorReference: id };
  if (status === 'failed' || status === 'canceled')
    return { result: 'refused', message: 'Stripe could not refund the payment.', processorReference: id };
  // The refund is in progress or waits for a sufficient balance. It is queried again later.
  throw new UnknownOutcome(reference, `Stripe returned the refund status ${status}`);
}

/** The outcome of a capture, void or refund that failed. It is unknown unless Stripe rejected the request. */
export function modificationFailure(error: unknown, reference: string): ModificationOutcome {
  if (isContradiction(error)) throw unknownOf(error, reference);
  if (error instanceof Stripe.errors.StripeIdempotencyError) throw new ReferenceReused(reference);
  if (isRefusal(error)) return { result: 'refused', message: refusalOf(error), processorReference: null };
  if (isNotAllowed(error)) return { result: 'error', message: refusalOf(error), processorReference: null };
  throw unknownOf(error, reference);
}

/** Whether an answer contains an error although its status means success. The request may have succeeded. */
export function isContradiction(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode < 400;
}

/** Whether Stripe processed the request and rejected it. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripeCardError;
}

/** Whether the key is invalid or lacks the permission. Nothing was changed at Stripe. */
export function isNotAllowed(error: unknown): error is Stripe.errors.StripeError {
  return (
    error instanceof Stripe.errors.StripeAuthenticationError || error instanceof Stripe.errors.StripePermissionError
  );
}

/** Without Stripe's message, which may repeat request data. */
export function refusalOf({ statusCode, code, requestId }: Stripe.errors.StripeError): string {
  return `Stripe refused it${code ? `: ${code}` : ''} (${[statusCode, requestId].filter(Boolean).join(', ')}).`;
}

/** An unknown outcome, without the error of Stripe, whose headers and objects must not be logged. */
export function unknownOf(error: unknown, reference: string): Error {
  if (error instanceof UnknownOutcome || error instanceof ReferenceReused) return error;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new UnknownOutcome(reference, 'the connection to Stripe failed or timed out');
  if (error instanceof Stripe.errors.StripeError)
    return new UnknownOutcome(
      reference,
      `Stripe answered ${[error.statusCode, error.code, error.requestId].filter(Boolean).join(' ')}`,
    );
  return new UnknownOutcome(reference, error instanceof Error ? error.name : 'the call failed');
}

/** The values that an answer must match, where known; the amount in Stripe's unit. */
interface Expected {
  reference: string;
  amount?: number | undefined;
  currency?: string | undefined;
}

/** The payment intent of an answer, if it is the requested one. Without it, the outcome of the charge is unknown. */
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

/** The same for a refund. */
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

/** The payment intent after a capture or void, if it matches the request. */
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
