import { createCustomer } from '../../src/domains/customers/change-customer.ts';
import { createPaymentInstrument } from '../../src/domains/instruments/create-payment-instrument.ts';
import { tokenizeCard } from '../../src/domains/instruments/tokenize-card.ts';
import { createProduct } from '../../src/domains/products/products.ts';
import { cancelSubscription } from '../../src/domains/subscriptions/changes/cancel-subscription.ts';
import { createSubscription } from '../../src/domains/subscriptions/changes/create-subscription.ts';
import { pauseSubscription } from '../../src/domains/subscriptions/changes/pause.ts';
import { updateSubscription } from '../../src/domains/subscriptions/changes/update-subscription.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import { personOf } from './names.ts';
import { contextOf, type Shop } from './tenants.ts';

type At = TravelingClock['at'];

const hourMs = 3_600_000;

interface Subscriber {
  /** The age of the subscription. */
  hours: number;
  card: string;
  plan: 'monthly' | 'weekly' | 'yearly';
  trialDays?: number;
  then?: { afterHours: number; does: 'pause' | 'cancel' | 'cancelAtPeriodEnd' | 'double' };
}

/**
 * Together they reach every state. Monthly subscriptions renew at the same hour of the day, weekly ones every 168
 * hours.
 */
const subscribers: readonly Subscriber[] = [
  ...Array.from(
    { length: 11 },
    (_, index): Subscriber => ({
      hours: 2_000 - index * 170,
      card: index % 3 === 1 ? 'tok_mastercard' : 'tok_visa',
      plan: index % 5 === 4 ? 'yearly' : 'monthly',
    }),
  ),
  { hours: 700, card: 'tok_visa', plan: 'weekly' },
  { hours: 500, card: 'tok_amex', plan: 'weekly', then: { afterHours: 250, does: 'double' } },
  { hours: 1_200, card: 'tok_visa', plan: 'monthly', then: { afterHours: 300, does: 'double' } },
  { hours: 1_500, card: 'tok_visa', plan: 'monthly', then: { afterHours: 900, does: 'cancel' } },
  { hours: 900, card: 'tok_mastercard', plan: 'monthly', then: { afterHours: 400, does: 'pause' } },
  { hours: 300, card: 'tok_visa', plan: 'monthly', then: { afterHours: 100, does: 'cancelAtPeriodEnd' } },
  { hours: 120, card: 'tok_visa', plan: 'monthly', trialDays: 14 },
  { hours: 30, card: 'tok_amex', plan: 'monthly', trialDays: 14 },
  { hours: 1_100, card: 'tok_visa', plan: 'monthly', trialDays: 14 },
  // Approved with the customer present, declined on renewal: one is retried, one has ended.
  { hours: 7 * 24 + 40, card: '4000000000000341', plan: 'weekly' },
  { hours: 30 * 24, card: '4000000000000341', plan: 'weekly' },
  { hours: 5, card: 'tok_visa_declined', plan: 'monthly' },
  { hours: 200, card: 'tok_visa_insufficient', plan: 'monthly' },
];

/** Two products of the demo merchant and their subscriptions, with all renewals up to now, each at its own time. */
export async function addSubscriptions(
  services: Services,
  at: At,
  shop: Shop,
  { began, now }: { began: Date; now: Date },
): Promise<void> {
  const context = () => contextOf(services, shop.key);
  const { storeId, currency } = shop;
  const product = await at(began, () =>
    createProduct(context(), {
      storeId,
      name: demoNames.club.name,
      description: demoNames.club.description,
      prices: [
        { currency, amount: demoNames.club.monthlyAmount, interval: 'month' },
        { currency, amount: 590, interval: 'week' },
        { currency, amount: 19_900, interval: 'year', trialDays: null },
      ],
    }),
  );
  await at(began, () =>
    createProduct(context(), {
      storeId,
      name: demoNames.mug.name,
      prices: [{ currency, amount: demoNames.mug.unitAmount }],
    }),
  );
  const [monthly, weekly, yearly] = product.prices.map(({ id }) => id);
  const priceIds = { monthly, weekly, yearly };

  const moments = subscribers.flatMap((subscriber, index) => {
    const joined = new Date(now.getTime() - subscriber.hours * hourMs);
    let id = '';
    const begins = { moment: joined, run: async () => void (id = await subscribe(index, subscriber)) };
    const { then } = subscriber;
    return then
      ? [begins, { moment: new Date(joined.getTime() + then.afterHours * hourMs), run: () => follow(id, then.does) }]
      : [begins];
  });

  async function subscribe(index: number, { card, plan, trialDays }: Subscriber): Promise<string> {
    const { id: customerId } = await createCustomer(context(), {
      storeId,
      // The names after those of the shop's other customers.
      ...personOf(shop.customers + index),
      tags: ['plan:coffee'],
    });
    const token = card.startsWith('tok_')
      ? card
      : (
          await tokenizeCard(context(), {
            storeId,
            cardNumber: card,
            expMonth: 12,
            expYear: now.getUTCFullYear() + 4,
            cvc: '123',
          })
        ).token;
    await createPaymentInstrument(context(), { storeId, token, customerId });
    return (
      await createSubscription(context(), {
        customerId,
        priceId: priceIds[plan] ?? '',
        quantity: 1 + (index % 2),
        initiatePayment: true,
        ...(trialDays !== undefined && { trialDays }),
      })
    ).id;
  }

  async function follow(subscriptionId: string, does: NonNullable<Subscriber['then']>['does']): Promise<void> {
    if (does === 'pause') await pauseSubscription(context(), { subscriptionId });
    else if (does === 'double') await updateSubscription(context(), { subscriptionId, quantity: 4 });
    else await cancelSubscription(context(), { subscriptionId, cancelAtPeriodEnd: does === 'cancelAtPeriodEnd' });
  }

  for (const { moment, run } of moments.sort((left, right) => left.moment.getTime() - right.moment.getTime())) {
    await liveTo(services, at, moment);
    await at(moment, run);
  }
  await liveTo(services, at, now);
}

/** Runs what becomes due until then, each at its own time. */
async function liveTo(services: Services, at: At, until: Date): Promise<void> {
  for (;;) {
    const { rows } = await services.pool.query<{ due: Date | null }>('SELECT min("dueAt") AS due FROM subscriptions');
    const due = rows[0]?.due;
    if (!due || due > until) return;
    await at(due, () => runDueSubscriptions(services));
  }
}
