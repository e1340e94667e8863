import type Stripe from 'stripe';
import type { Clock } from '../../kit/clock.ts';
import { momentOf } from '../../kit/ids.ts';

const skewMs = 5 * 60_000;
const pageSize = 100;
const pagesMax = 10;

/**
 * Finds the payment intent that was created for a reference. Stripe's search by metadata is delayed by a minute or
 * more, so the newest payment intents are read from the list, which is not delayed; older ones are searched for.
 * Returns `absent` only if the list was read to its end, so that none exists, and `unseen` if one may exist.
 */
export async function findPaymentIntent(
  stripe: Stripe,
  reference: string,
  clock: Clock,
): Promise<Stripe.PaymentIntent | 'absent' | 'unseen'> {
  const since = Math.min(momentOf(reference)?.getTime() ?? 0, clock.now().getTime()) - skewMs;
  let after: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const { data, has_more: more } = await stripe.paymentIntents.list({
      created: { gte: Math.floor(since / 1000) },
      limit: pageSize,
      ...(after !== undefined && { starting_after: after }),
    });
    const found = data.find(({ metadata }) => metadata['reference'] === reference);
    if (found) return found;
    if (!more) return 'absent';
    after = data.at(-1)?.id;
  }
  const { data } = await stripe.paymentIntents.search({ query: `metadata['reference']:'${reference}'`, limit: 1 });
  // The search index may contain an older state of the payment intent.
  return data[0] ? stripe.paymentIntents.retrieve(data[0].id) : 'unseen';
}
