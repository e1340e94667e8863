import Stripe from 'stripe';
import type { Clock } from '../kit/clock.ts';
import { type Authorization, type Outcome, ReferenceReused, UnknownOutcome } from '../ports/card-processor.ts';
import { patiently } from './client.ts';
import { declineOf } from './declines.ts';
import { lookUp } from './look-up.ts';
import { toStripe } from './money.ts';
import { isNotAllowed, isRefusal, outcomeOf, refusalOf, unknownOf } from './outcomes.ts';

/**
 * A card, then a payment intent that is confirmed with it, both under our reference. Sent again with the same card data, Stripe
 * gives its first answer again. When the data is not the same any more, since the security code is erased, Stripe refuses the
 * key: then what stands under the reference is looked up.
 */
export async function authorize(stripe: Stripe, clock: Clock, asked: Authorization): Promise<Outcome> {
  const { reference, signal } = asked;
  const amount = toStripe(asked.amount, asked.currency);
  if (amount === null)
    return {
      result: 'error',
      message: `Stripe cannot take this amount of ${asked.currency}.`,
      processorReference: null,
    };
  try {
    const { id } = await cardOf(stripe, asked);
    const intent = await patiently(signal, () =>
      stripe.paymentIntents.create(intentOf(asked, amount, id), { idempotencyKey: reference }),
    );
    return outcomeOf(intent, reference);
  } catch (error) {
    return afterFailure(stripe, clock, asked, amount, error);
  }
}

/** The card as Stripe's own object. It moves no money, so that another one may be made when the data has changed. */
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
    return await patiently(signal, () => stripe.paymentMethods.create(params, { idempotencyKey: `${reference}-card` }));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeIdempotencyError)) throw error;
    return patiently(signal, () => stripe.paymentMethods.create(params));
  }
}

function intentOf(
  { reference, currency, capture, merchantInitiated, threeDs, returnUrl }: Authorization,
  amount: number,
  cardId: string,
): Stripe.PaymentIntentCreateParams {
  // Whoever cannot or must not be challenged is declined instead, which Stripe then says at once.
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
  asked: Authorization,
  amount: number,
  error: unknown,
): Promise<Outcome> {
  const { reference } = asked;
  if (error instanceof Stripe.errors.StripeIdempotencyError) return standing(stripe, clock, asked, amount);
  if (error instanceof Stripe.errors.StripeCardError)
    return declineOf(
      { code: error.code as never, decline_code: error.decline_code as never, advice_code: error.advice_code as never },
      error.payment_intent?.id ?? null,
    ); // the codes of a card error are those of an intent's
  if (isRefusal(error) || isNotAllowed(error))
    return { result: 'error', message: refusalOf(error), processorReference: null };
  // Stripe repeats an error of its own under the same key for a day. It has come to its end, so what is not there now will not be.
  if (error instanceof Stripe.errors.StripeAPIError && error.headers?.['idempotent-replayed'] === 'true')
    return standing(stripe, clock, asked, amount);
  throw unknownOf(error, reference);
}

/** What the first call under the reference left. */
async function standing(
  stripe: Stripe,
  clock: Clock,
  { reference, currency, capture }: Authorization,
  amount: number,
): Promise<Outcome> {
  const found = await lookUp(stripe, reference, clock).catch((error: unknown) =>
    Promise.reject(unknownOf(error, reference)),
  );
  if (found === 'absent') return { result: 'error', message: 'Stripe could not process it.', processorReference: null };
  if (found === 'unseen') throw new UnknownOutcome(reference, 'Stripe has seen it and does not show it yet');
  const same =
    found.amount === amount &&
    found.currency === currency.toLowerCase() &&
    found.capture_method === (capture ? 'automatic' : 'manual');
  if (!same) throw new ReferenceReused(reference);
  return outcomeOf(found, reference);
}
