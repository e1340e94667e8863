import type { Clock } from '../kit/clock.ts';
import type { CardProcessor } from '../ports/card-processor.ts';
import type { StripeSettings } from './client.ts';

/**
 * Stripe's client is some 270 files, a good part of what a start would load. It is loaded with the first call that goes to Stripe;
 * a server that has no such account never does.
 */
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
    findFollowUp: async (asked) => (await stripe()).findFollowUp(asked),
    readEvent: async (raw) => (await (await stripe()).readEvent?.(raw)) ?? null,
  };
}
