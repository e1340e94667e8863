import type { Clock } from '../../lib/clock.ts';
import type { CardProcessor } from '../../ports/card-processor.ts';
import type { StripeSettings } from './client.ts';

/** Loads the Stripe client (about 270 files) with the first request to Stripe, which makes the start faster. */
export function stripeWhenAsked(settings: StripeSettings & { clock: Clock }): CardProcessor {
  let loading: Promise<CardProcessor> | undefined;
  const stripe = (): Promise<CardProcessor> =>
    (loading ??= import('./stripe-processor.ts').then(({ createStripeProcessor }) => createStripeProcessor(settings)));
  return {
    authorize: async (asked) => (await stripe()).authorize(asked),
    continueAuthorization: async (asked) => (await stripe()).continueAuthorization(asked),
    find: async (asked) => (await stripe()).find(asked),
    capture: async (asked) => (await stripe()).capture(asked),
    void: async (asked) => (await stripe()).void(asked),
    refund: async (asked) => (await stripe()).refund(asked),
    findModification: async (asked) => (await stripe()).findModification(asked),
    readEvent: async (raw) => (await (await stripe()).readEvent?.(raw)) ?? null,
  };
}
