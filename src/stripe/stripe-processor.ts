import Stripe from 'stripe';
import type { Clock } from '../kit/clock.ts';
import {
  type CardProcessor,
  type FollowUp,
  type FollowUpOutcome,
  type FollowUpQuestion,
  type Outcome,
  type Question,
  type Unseen,
  UnknownOutcome,
} from '../ports/card-processor.ts';
import { authorize } from './authorize.ts';
import { NotConnected, patiently, stripeFor, type StripeSettings } from './client.ts';
import { readEvent } from './events.ts';
import { lookUp } from './look-up.ts';
import { toStripe } from './money.ts';
import { chargeIdOf, followUpFailure, outcomeOf, refundOutcome, unknownOf } from './outcomes.ts';

/**
 * Stripe, through its own client. Our transaction id is the Idempotency-Key of what moves money, and stands in the metadata, by
 * which it is found again. Whatever is not an answer (a time-out, a broken line, an error of Stripe's, too many calls) is an
 * unknown outcome.
 */
export function createStripeProcessor({ clock, ...settings }: StripeSettings & { clock: Clock }): CardProcessor {
  const followUp =
    (
      send: (stripe: Stripe, intent: Stripe.PaymentIntent, amount: number, asked: FollowUp) => Promise<FollowUpOutcome>,
    ) =>
    (asked: FollowUp) =>
      known<FollowUpOutcome>(asked.reference, async () => {
        const stripe = stripeFor(settings, asked.processor);
        try {
          const intent = await stripe.paymentIntents.retrieve(asked.authorizationReference);
          const amount = toStripe(asked.amount, asked.currency);
          if (intent.currency.toUpperCase() !== asked.currency || amount === null)
            return {
              result: 'refused',
              message: `The charge is not of this amount of ${asked.currency}.`,
              processorReference: null,
            };
          return await send(stripe, intent, amount, asked);
        } catch (error) {
          return followUpFailure(error, asked.reference);
        }
      });

  return {
    authorize: (asked) =>
      known(asked.reference, () => authorize(stripeFor(settings, asked.processor), clock, asked), notConnected),

    continueAuthorization: ({ authentication, ...question }) =>
      known(question.reference, async () => {
        const stripe = stripeFor(settings, question.processor);
        const intent = await lookUp(stripe, question.reference, clock);
        if (typeof intent === 'string') throw new UnknownOutcome(question.reference, 'Stripe does not show it');
        // The cardholder answers Stripe, not us. What nobody may answer any more is closed, unless the answer was faster.
        if (authentication === 'succeeded' || intent.status !== 'requires_action')
          return outcomeOf(intent, question.reference);
        return outcomeOf(await closed(stripe, intent), question.reference);
      }),

    find: (question) => known(question.reference, () => find(stripeFor(settings, question.processor), clock, question)),

    capture: followUp(async (stripe, { id }, amount, { reference, signal }) => {
      const intent = await patiently(signal, () =>
        stripe.paymentIntents.capture(
          id,
          { amount_to_capture: amount, metadata: { capture: reference } },
          { idempotencyKey: reference },
        ),
      );
      return { result: 'approved', processorReference: chargeIdOf(intent) };
    }),

    void: followUp(async (stripe, { id }, _amount, { reference, signal }) => {
      const intent = await patiently(signal, () => stripe.paymentIntents.cancel(id, {}, { idempotencyKey: reference }));
      return { result: 'approved', processorReference: chargeIdOf(intent) };
    }),

    refund: followUp(async (stripe, { id }, amount, { reference, signal }) =>
      refundOutcome(
        await patiently(signal, () =>
          stripe.refunds.create({ payment_intent: id, amount, metadata: { reference } }, { idempotencyKey: reference }),
        ),
        reference,
      ),
    ),

    findFollowUp: (question) =>
      known(question.reference, () => findFollowUp(stripeFor(settings, question.processor), question)),

    readEvent: (raw) => readEvent(settings, clock, raw),
  };
}

async function find(stripe: Stripe, clock: Clock, { reference }: Question): Promise<Outcome | Unseen> {
  const intent = await lookUp(stripe, reference, clock);
  return typeof intent === 'string' ? { result: 'unseen' } : outcomeOf(intent, reference);
}

async function findFollowUp(
  stripe: Stripe,
  { reference, type, authorizationReference }: FollowUpQuestion,
): Promise<FollowUpOutcome | Unseen> {
  if (type === 'refund') {
    for await (const refund of stripe.refunds.list({ payment_intent: authorizationReference, limit: 100 }))
      if (refund.metadata?.['reference'] === reference) return refundOutcome(refund, reference);
    return { result: 'unseen' };
  }
  const intent = await stripe.paymentIntents.retrieve(authorizationReference);
  // A void carries no mark of ours. One at a time is under way, and money that is let go of is let go of, by whomever.
  const isDone = type === 'capture' ? intent.metadata['capture'] === reference : intent.status === 'canceled';
  return isDone ? { result: 'approved', processorReference: chargeIdOf(intent) } : { result: 'unseen' };
}

async function closed(stripe: Stripe, { id }: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  try {
    return await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    return stripe.paymentIntents.retrieve(id);
  }
}

const notConnected: Outcome = { result: 'error', message: 'The processor is not connected.', processorReference: null };

/** Every failure of the line is an unknown outcome; without a key nothing can have been asked for. */
async function known<Answer>(reference: string, ask: () => Promise<Answer>, withoutKey?: Answer): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotConnected && withoutKey !== undefined) return withoutKey;
    throw unknownOf(error, reference);
  }
}
