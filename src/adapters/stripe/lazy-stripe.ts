import type { Clock } from '../../lib/clock.ts';
import type { CardProcessor } from '../../ports/card-processor.ts';
import type { StripeSettings } from './client.ts';

/** Loads the Stripe client (about 270 files) with the first request to Stripe, which makes the start faster. */
export function stripeOnDemand(settings: StripeSettings & { clock: Clock }): CardProcessor {
  let loading: Promise<CardProcessor> | undefined;
  const stripe = (): Promise<CardProcessor> =>
    (loading ??= import('./stripe-processor.ts').then(({ createStripeProcessor }) => createStripeProcessor(settings)));
  return {
    authorize: async (requested) => (await stripe()).authorize(requested),
    continueAuthorization: async (requested) => (await stripe()).continueAuthorization(requested),
    find: async (requested) => (await stripe()).find(requested),
    capture: async (requested) => (await stripe()).capture(requested),
    void: async (requested) => (await stripe()).void(requested),
    refund: async (requested) => (await stripe()).refund(requested),
    findModification: async (requested) => (await stripe()).findModification(requested),
    readEvent: async (raw) => (await (await stripe()).readEvent?.(raw)) ?? null,
  };
}
