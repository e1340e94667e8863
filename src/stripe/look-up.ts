import type Stripe from 'stripe';
import type { Clock } from '../kit/clock.ts';
import { momentOf } from '../kit/ids.ts';

const skewMs = 5 * 60_000;
const pageSize = 100;
const pagesMax = 10;

/**
 * The payment intent that was made for a reference. Stripe can search by metadata, but what it finds lags behind by a minute and
 * more, so that the newest are read from the list, which does not; searching is for what lies further back. `absent` is said
 * only when the list was read to its end: then there is none. `unseen`: there may be.
 */
export async function lookUp(
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
  // The index may show an older state than the object is in.
  return data[0] ? stripe.paymentIntents.retrieve(data[0].id) : 'unseen';
}
