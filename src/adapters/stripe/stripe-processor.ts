import Stripe from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import {
  type CardProcessor,
  type Modification,
  type ModificationOutcome,
  type ModificationQuery,
  type Outcome,
  type Question,
  type UnknownAtProcessor,
  UnknownOutcome,
} from '../../ports/card-processor.ts';
import { authorize } from './authorize.ts';
import { findPaymentIntent, NotConnected, retryUntilStarted, type StripeSettings, stripeFor } from './client.ts';
import { toStripe } from './declines.ts';
import { readEvent } from './events.ts';
import {
  chargeIdOf,
  modificationFailure,
  modifiedIntent,
  outcomeOfIntent,
  ownIntent,
  ownRefund,
  refundOutcome,
  unknownOf,
} from './outcomes.ts';

/**
 * Creates the adapter for Stripe. The platform's transaction id is the idempotency key of every charge and
 * modification, and is stored in the metadata, by which the charge is found again. A timeout, a connection error, an
 * error of Stripe or too many requests is an unknown outcome.
 */
export function createStripeProcessor({ clock, ...settings }: StripeSettings & { clock: Clock }): CardProcessor {
  const modify =
    (
      send: (
        stripe: Stripe,
        intent: Stripe.PaymentIntent,
        amount: number,
        requested: Modification,
      ) => Promise<ModificationOutcome>,
    ) =>
    (requested: Modification) =>
      withUnknownOutcome<ModificationOutcome>(requested.reference, async () => {
        const stripe = stripeFor(settings, requested.processor);
        try {
          const intent = await stripe.paymentIntents.retrieve(requested.authorizationReference);
          if (intent.id !== requested.authorizationReference)
            throw new UnknownOutcome(requested.reference, 'Stripe returned another charge');
          const amount = toStripe(requested.amount, requested.currency);
          if (intent.currency.toUpperCase() !== requested.currency || amount === null)
            return {
              result: 'refused',
              message: `The charge is not of this amount of ${requested.currency}.`,
              processorReference: null,
            };
          return await send(stripe, intent, amount, requested);
        } catch (error) {
          return modificationFailure(error, requested.reference);
        }
      });

  return {
    authorize: (requested) =>
      withUnknownOutcome(
        requested.reference,
        () => authorize(stripeFor(settings, requested.processor), clock, requested),
        notConnected,
      ),

    continueAuthorization: ({ authentication, ...question }) =>
      withUnknownOutcome(question.reference, async () => {
        const stripe = stripeFor(settings, question.processor);
        const intent = await findPaymentIntent(stripe, question.reference, clock);
        if (typeof intent === 'string')
          throw new UnknownOutcome(question.reference, 'Stripe does not return the payment intent');
        // The cardholder completes the challenge at Stripe. An expired challenge is canceled, unless the cardholder has
        // completed it in the meantime.
        if (authentication === 'succeeded' || intent.status !== 'requires_action')
          return outcomeOfIntent(ownIntent(intent, expectedOf(question)), question.reference);
        const canceled = await cancelAbandonedIntent(stripe, intent);
        return outcomeOfIntent(ownIntent(canceled, expectedOf(question)), question.reference);
      }),

    find: (question) =>
      withUnknownOutcome(question.reference, () => find(stripeFor(settings, question.processor), clock, question)),

    capture: modify(async (stripe, { id }, amount, { reference, signal }) => {
      const intent = await retryUntilStarted(signal, () =>
        stripe.paymentIntents.capture(
          id,
          { amount_to_capture: amount, metadata: { capture: reference } },
          { idempotencyKey: reference },
        ),
      );
      const captured = modifiedIntent(intent, { reference, id, status: 'succeeded', received: amount });
      return { result: 'approved', processorReference: chargeIdOf(captured) };
    }),

    void: modify(async (stripe, { id }, _amount, { reference, signal }) => {
      const intent = await retryUntilStarted(signal, () =>
        stripe.paymentIntents.cancel(id, {}, { idempotencyKey: reference }),
      );
      const canceled = modifiedIntent(intent, { reference, id, status: 'canceled' });
      return { result: 'approved', processorReference: chargeIdOf(canceled) };
    }),

    refund: modify(async (stripe, { id: intentId }, amount, { reference, currency, signal }) => {
      const refund = await retryUntilStarted(signal, () =>
        stripe.refunds.create(
          { payment_intent: intentId, amount, metadata: { reference } },
          { idempotencyKey: reference },
        ),
      );
      return refundOutcome(ownRefund(refund, { reference, amount, currency, intentId }), reference);
    }),

    findModification: (question) =>
      withUnknownOutcome(question.reference, () => findModification(stripeFor(settings, question.processor), question)),

    readEvent: (raw) => readEvent(settings, clock, raw),
  };
}

async function find(stripe: Stripe, clock: Clock, question: Question): Promise<Outcome | UnknownAtProcessor> {
  const { reference } = question;
  const intent = await findPaymentIntent(stripe, reference, clock);
  return typeof intent === 'string'
    ? { result: 'unseen' }
    : outcomeOfIntent(ownIntent(intent, expectedOf(question)), reference);
}

/** The values with which an answer is compared, in Stripe's unit. */
function expectedOf({ reference, amount, currency }: Question) {
  const isKnown = amount !== undefined && currency !== undefined;
  return { reference, currency, amount: isKnown ? (toStripe(amount, currency) ?? undefined) : undefined };
}

async function findModification(
  stripe: Stripe,
  { type, authorizationReference, ...question }: ModificationQuery,
): Promise<ModificationOutcome | UnknownAtProcessor> {
  const { reference, amount, currency } = expectedOf(question);
  if (type === 'refund') {
    for await (const refund of stripe.refunds.list({ payment_intent: authorizationReference, limit: 100 }))
      if (refund.metadata?.['reference'] === reference)
        return refundOutcome(
          ownRefund(refund, { reference, amount, currency, intentId: authorizationReference }),
          reference,
        );
    return { result: 'unseen' };
  }
  const intent = await stripe.paymentIntents.retrieve(authorizationReference);
  if (intent.id !== authorizationReference) throw new UnknownOutcome(reference, 'Stripe returned another charge');
  // A void has no reference at Stripe. A canceled intent is voided, regardless of the request that canceled it.
  const isDone = type === 'capture' ? intent.metadata['capture'] === reference : intent.status === 'canceled';
  if (isDone && type === 'capture' && amount !== undefined && intent.amount_received !== amount)
    throw new UnknownOutcome(reference, 'Stripe returned another amount');
  return isDone ? { result: 'approved', processorReference: chargeIdOf(intent) } : { result: 'unseen' };
}

async function cancelAbandonedIntent(stripe: Stripe, { id }: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  try {
    return await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    return stripe.paymentIntents.retrieve(id);
  }
}

const notConnected: Outcome = { result: 'error', message: 'The processor is not connected.', processorReference: null };

/** Every connection error is an unknown outcome. Without a key no request was sent. */
async function withUnknownOutcome<Answer>(
  reference: string,
  ask: () => Promise<Answer>,
  withoutKey?: Answer,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotConnected && withoutKey !== undefined) return withoutKey;
    throw unknownOf(error, reference);
  }
}
