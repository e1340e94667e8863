import Stripe from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import { type Authorization, type Outcome, ReferenceReused, UnknownOutcome } from '../../ports/card-processor.ts';
import { findPaymentIntent, retryUntilStarted } from './client.ts';
import { declineOf, toStripe } from './declines.ts';
import {
  isContradiction,
  isNotAllowed,
  isRefusal,
  outcomeOfIntent,
  ownIntent,
  refusalOf,
  unknownOf,
} from './outcomes.ts';

/**
 * Creates a payment method and a payment intent that is confirmed with it, both with the platform's reference as
 * idempotency key. If the same card data is sent again, Stripe returns its first response. If the data has changed,
 * because the security code was purged, Stripe rejects the key, and the payment intent of the reference is looked up
 * instead.
 */
export async function authorize(stripe: Stripe, clock: Clock, requested: Authorization): Promise<Outcome> {
  const { reference, signal } = requested;
  const amount = toStripe(requested.amount, requested.currency);
  if (amount === null)
    return {
      result: 'error',
      message: `Stripe cannot take this amount of ${requested.currency}.`,
      processorReference: null,
    };
  try {
    const { id } = await cardOf(stripe, requested);
    const intent = await retryUntilStarted(signal, () =>
      stripe.paymentIntents.create(intentOf(requested, amount, id), { idempotencyKey: reference }),
    );
    return outcomeOfIntent(ownIntent(intent, { reference, amount, currency: requested.currency }), reference);
  } catch (error) {
    return afterFailure(stripe, clock, requested, amount, error);
  }
}

/** Creates the payment method. It charges nothing, so a second one may be created if the card data has changed. */
async function cardOf(stripe: Stripe, { reference, card, signal }: Authorization): Promise<Stripe.PaymentMethod> {
  const params = {
    type: 'card' as const,
    card: {
      number: card.cardNumber,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      ...(card.cvc !== null && { cvc: card.cvc }),
    },
  };
  try {
    return await retryUntilStarted(signal, () =>
      stripe.paymentMethods.create(params, { idempotencyKey: `${reference}-card` }),
    );
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeIdempotencyError)) throw error;
    return retryUntilStarted(signal, () => stripe.paymentMethods.create(params));
  }
}

function intentOf(
  { reference, currency, capture, merchantInitiated, threeDs, returnUrl }: Authorization,
  amount: number,
  cardId: string,
): Stripe.PaymentIntentCreateParams {
  // With these parameters Stripe declines immediately if the cardholder would have to be challenged and cannot be.
  const presence = merchantInitiated
    ? { off_session: true }
    : threeDs === 'skip'
      ? { error_on_requires_action: true }
      : { return_url: returnUrl };
  return {
    amount,
    currency: currency.toLowerCase(),
    confirm: true,
    capture_method: capture ? 'automatic' : 'manual',
    payment_method: cardId,
    allowed_payment_method_types: ['card'],
    payment_method_options: {
      card: { request_three_d_secure: threeDs === 'force' && !merchantInitiated ? 'challenge' : 'automatic' },
    },
    metadata: { reference },
    ...presence,
  };
}

async function afterFailure(
  stripe: Stripe,
  clock: Clock,
  requested: Authorization,
  amount: number,
  error: unknown,
): Promise<Outcome> {
  const { reference } = requested;
  if (isContradiction(error)) throw unknownOf(error, reference);
  if (error instanceof Stripe.errors.StripeIdempotencyError) return findFirstOutcome(stripe, clock, requested, amount);
  if (error instanceof Stripe.errors.StripeCardError) {
    const intent = error.payment_intent && ownIntent(error.payment_intent, { reference });
    // a card error has the same codes as `last_payment_error` of an intent
    return declineOf(
      { code: error.code, decline_code: error.decline_code, advice_code: error.advice_code },
      intent?.id ?? null,
    );
  }
  if (isRefusal(error) || isNotAllowed(error))
    return { result: 'error', message: refusalOf(error), processorReference: null };
  // Stripe replays a 5xx response for the same key for 24 hours. The replayed request has ended, so a payment intent
  // that does not exist now will not be created by it.
  if (error instanceof Stripe.errors.StripeAPIError && error.headers?.['idempotent-replayed'] === 'true')
    return findFirstOutcome(stripe, clock, requested, amount);
  throw unknownOf(error, reference);
}

/** Looks up the outcome of the first request with this reference. */
async function findFirstOutcome(
  stripe: Stripe,
  clock: Clock,
  { reference, currency, capture }: Authorization,
  amount: number,
): Promise<Outcome> {
  const found = await findPaymentIntent(stripe, reference, clock).catch((error: unknown) =>
    Promise.reject(unknownOf(error, reference)),
  );
  if (found === 'absent') return { result: 'error', message: 'Stripe could not process it.', processorReference: null };
  if (found === 'unseen')
    throw new UnknownOutcome(reference, 'Stripe has received the request and does not return the payment intent yet');
  const same =
    found.amount === amount &&
    found.currency === currency.toLowerCase() &&
    found.capture_method === (capture ? 'automatic' : 'manual');
  if (!same) throw new ReferenceReused(reference);
  return outcomeOfIntent(found, reference);
}
