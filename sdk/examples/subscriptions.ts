// A subscription business: a year of renewals on a test clock, in seconds.
// SUB_KEY=tp_sk_test_… PLATFORM_URL=http://localhost:4000 node subscriptions.ts
import { Platform } from '@partner-payments/sdk';

const { SUB_KEY = '', PLATFORM_URL: baseUrl = 'http://localhost:4000' } = process.env;
const shop = Platform.test(SUB_KEY, { baseUrl });

const product = await shop.products.create({
  name: 'Coffee club',
  prices: [{ currency: 'USD', amount: 1900, interval: 'month' }],
});
const [price] = product.prices;
if (!price) throw new Error('The product has no price.');

// Everything of a customer that is created on a test clock happens at the time of the clock.
const clock = await shop.testClocks.create({ name: 'A year', now: '2026-01-31T10:00:00.000Z' });
// A customer with a known address would be found, and not be on the clock.
const customer = await shop.customers.create({ email: `${clock.id}@example.com`, testClockId: clock });
await shop.paymentInstruments.createFromToken({ token: 'tok_visa', customerId: customer });
const subscription = await shop.subscriptions.create(
  { customerId: customer, priceId: price },
  { idempotencyKey: `subscribe-${customer.id}` },
);
console.log('subscribed:', subscription.status);

let advanced = await shop.testClocks.advance(clock, { to: '2027-01-31T10:00:00.000Z' });
while (advanced.status === 'advancing') {
  await new Promise((resolve) => setTimeout(resolve, 500));
  advanced = await shop.testClocks.get(clock);
}

if (advanced.status !== 'ready') throw new Error(advanced.failureReason ?? advanced.status);

let paid = 0;
for await (const payment of shop.payments.list({ filters: { subscriptionId: subscription.id } }))
  paid += payment.amount;
const { items } = await shop.events.list({
  filters: { type: ['subscription/rebillSucceeded'], objectId: subscription.id },
});
console.log('a year later:', items.length, 'renewals,', paid, 'cents');

const canceled = await shop.subscriptions.cancel({ subscriptionId: subscription });
console.log('canceled:', 'status' in canceled ? canceled.status : canceled);
