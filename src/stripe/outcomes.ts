import Stripe from 'stripe';
import { type FollowUpOutcome, type Outcome, ReferenceReused, UnknownOutcome } from '../ports/card-processor.ts';
import { declineOf } from './declines.ts';

/** What a payment intent says of the authorization it was made for. */
export function outcomeOf(intent: Stripe.PaymentIntent, reference: string): Outcome {
  const processorReference = intent.id;
  switch (intent.status) {
    case 'succeeded':
    case 'requires_capture':
      return { result: 'approved', processorReference };
    case 'requires_action': {
      const url = intent.next_action?.redirect_to_url?.url;
      if (!url) throw new UnknownOutcome(reference, 'Stripe waits for an action that is no redirect');
      return { result: 'challenge', processorReference, url };
    }
    case 'requires_payment_method':
      if (intent.last_payment_error) return declineOf(intent.last_payment_error, processorReference);
      return { result: 'error', message: 'Stripe did not try the card.', processorReference };
    case 'canceled':
      // What was held and let go of was approved all the same; what nobody authenticated never was.
      return wasHeld(intent)
        ? { result: 'approved', processorReference }
        : declineOf({ code: 'payment_intent_authentication_failure' }, processorReference);
    case 'requires_confirmation':
      return { result: 'error', message: 'Stripe did not try the card.', processorReference };
    default:
      throw new UnknownOutcome(reference, `Stripe says that it is ${intent.status}`);
  }
}

export function wasHeld(intent: Stripe.PaymentIntent): boolean {
  return intent.latest_charge !== null && intent.last_payment_error === null;
}

/** The charge of an intent, which names a capture or a void as the intent's own id names the authorization. */
export function chargeIdOf({ latest_charge: charge, id }: Stripe.PaymentIntent): string {
  return typeof charge === 'string' ? charge : (charge?.id ?? `${id}:end`);
}

export function refundOutcome({ id, status }: Stripe.Refund, reference: string): FollowUpOutcome {
  if (status === 'succeeded') return { result: 'approved', processorReference: id };
  if (status === 'failed' || status === 'canceled')
    return { result: 'refused', message: 'Stripe could not give the money back.', processorReference: id };
  // On its way, or waiting for a balance: asked for again until it is decided.
  throw new UnknownOutcome(reference, `Stripe says that the refund is ${status}`);
}

/** What an error says of a capture, void or refund. Anything but a refusal is not known. */
export function followUpFailure(error: unknown, reference: string): FollowUpOutcome {
  if (error instanceof Stripe.errors.StripeIdempotencyError) throw new ReferenceReused(reference);
  if (isRefusal(error)) return { result: 'refused', message: refusalOf(error), processorReference: null };
  if (isNotAllowed(error)) return { result: 'error', message: refusalOf(error), processorReference: null };
  throw unknownOf(error, reference);
}

/** Stripe looked at the request and will not do it. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripeCardError;
}

/** The key is wrong, or may not do this: nothing was done. */
export function isNotAllowed(error: unknown): error is Stripe.errors.StripeError {
  return (
    error instanceof Stripe.errors.StripeAuthenticationError || error instanceof Stripe.errors.StripePermissionError
  );
}

/** Without Stripe's own words, which may repeat what was sent. */
export function refusalOf({ statusCode, code, requestId }: Stripe.errors.StripeError): string {
  return `Stripe refused it${code ? `: ${code}` : ''} (${[statusCode, requestId].filter(Boolean).join(', ')}).`;
}

/** An outcome that is not known. The vendor's error stays behind: it carries headers and objects that have no place in a log. */
export function unknownOf(error: unknown, reference: string): Error {
  if (error instanceof UnknownOutcome || error instanceof ReferenceReused) return error;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new UnknownOutcome(reference, 'the line to Stripe broke or no answer came');
  if (error instanceof Stripe.errors.StripeError)
    return new UnknownOutcome(
      reference,
      `Stripe answered ${[error.statusCode, error.code, error.requestId].filter(Boolean).join(' ')}`,
    );
  return new UnknownOutcome(reference, error instanceof Error ? error.name : 'the call failed');
}
