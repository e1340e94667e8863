import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../src/kit/clock.ts';
import { runDueSubscriptions } from '../../src/subscriptions/jobs.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner, type SeededAccount } from '../support/seed.ts';

const clock = manualClock(new Date('2026-01-31T10:00:00Z'));
let platform: TestPlatform;
let account: SeededAccount;
beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  account = await (await seedPartner(platform)).account();
});
afterAll(() => platform?.close());

test('smoke', async () => {
  const product = await account.api.ok('/products/create', { name: 'Tea', prices: [{ currency: 'USD', amount: 1000, interval: 'month' }] });
  console.log(product, JSON.stringify(await account.api.ok('/products/list', {})));
  const { customerId } = await account.instrument();
  const made = await account.api.call('/subscriptions/create', { customerId, priceId: product.prices[0].id }, { headers: { 'Idempotency-Key': 'x1' } });
  console.log(platform.logged.filter((line) => /"level":(40|50)|warn|error/.test(line)).slice(0,3));
  const again = await account.api.call('/subscriptions/create', { customerId, priceId: product.prices[0].id }, { headers: { 'Idempotency-Key': 'x1' } });
  expect(again.body).toEqual(made.body);
  expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  const { id } = made.body;
  for (const day of ['2026-02-25T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-06-30T10:00:00Z']) {
    clock.set(new Date(day));
    await runDueSubscriptions(platform.env);
    const now = await account.api.ok(`/subscriptions/${id}`);
    console.log(day, now.status, now.currentPeriodStart, now.currentPeriodEnd, (await account.api.ok('/payments', { filters: { subscriptionId: id } })).total);
  }
  console.log((await account.api.ok('/events/list', { filters: { objectId: id }, pageSize: 100 })).items.map((e: any) => `${e.sequence} ${e.type} ${e.createdAt}`));
  console.log((await account.api.ok('/subscriptions/cancel', { subscriptionId: id })).status, JSON.stringify(await account.api.ok('/subscriptions/cancel', { subscriptionIds: [id] })));
  console.log(platform.logged.filter((line) => /"level":(40|50)/.test(line)));
});
