import { afterAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { purgeDeliveries } from '../../../src/domains/webhooks/deliveries/rows.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date('2026-03-01T00:00:00Z'));
const dayMs = 86_400_000;

let status = 200;

const platform = await usePlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_KEEP_DAYS: '7' } });
const receiver = await startReceiver(() => status);
const account = await (await seedPartner(platform)).account();
afterAll(async () => {
  await receiver?.close();
});

test('deliveries and attempts are kept for the set days, unsent ones and those of test clocks longer', async () => {
  const { id } = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['customer/created'] });
  const testClock = await account.api.ok('/test-clocks/create', { name: 'Long ago', now: '2020-01-01T00:00:00Z' });
  const kept = async () =>
    (await account.api.ok(`/webhooks/${id}/deliveries/list`, {})).items
      .map(({ status: state, attempts }: { status: string; attempts: unknown[] }) => `${state} ${attempts.length}`)
      .sort();
  await account.api.ok('/customers/create', { email: 'delivered@example.com' });
  await account.api.ok('/customers/create', { email: 'clocked@example.com', testClockId: testClock.id });
  await deliverWebhooks(platform.services);
  status = 500;
  await account.api.ok('/customers/create', { email: 'open@example.com' });
  await deliverWebhooks(platform.services);
  expect(await kept()).toEqual(['delivered 1', 'delivered 1', 'failed 1']);
  clock.advance(7 * dayMs);
  expect(await purgeDeliveries(platform.services)).toBe(0);
  clock.advance(1);
  expect(await purgeDeliveries(platform.services)).toBe(1);
  expect(await kept()).toEqual(['delivered 1', 'failed 1']);
  expect((await account.api.ok('/events/list', { filters: { type: ['customer/created'] } })).total).toBe(3);
});

test('the event of webhook/test is kept as long as its delivery: 200 up to the set days, 404 after them', async () => {
  status = 200;
  const { id } = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['customer/updated'] });
  const { eventId } = await account.api.ok(`/webhooks/${id}/test`, {});
  await deliverWebhooks(platform.services);
  const read = async () => {
    await purgeDeliveries(platform.services);
    const { items } = await account.api.ok(`/webhooks/${id}/deliveries/list`, {});
    return [(await account.api.call(`/events/${eventId}`)).status, items.length];
  };
  clock.advance(7 * dayMs);
  expect(await read()).toEqual([200, 1]);
  clock.advance(1);
  expect(await read()).toEqual([404, 0]);
});
