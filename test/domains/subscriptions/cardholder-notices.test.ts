import { afterAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { startReceiver } from '../../support/receiver.ts';
import { cardholderWorld } from './cardholder-world.ts';

const world = cardholderWorld({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const { clock, page, pass, pastDue, read } = world;
const receiver = await startReceiver();
afterAll(() => receiver.close());

test('the payer is sent no mail while action is required, and the end of the subscription clears the need', async () => {
  const mails: unknown[] = [];
  Object.assign(world.platform.services.mailer, { send: async (mail: unknown) => void mails.push(mail) });
  const [canceled, left] = [await pastDue(), await pastDue()];
  await pass(3);
  expect((await read(canceled.id)).actionRequired).not.toBeNull();
  await world.account.api.ok('/subscriptions/cancel', { subscriptionId: canceled.id });
  await pass(4);
  for (const { id, url } of [canceled, left]) {
    expect(await read(id)).toMatchObject({ status: 'canceled', actionRequired: null });
    expect((await page(url)).status).toBe(410);
  }
  expect(mails).toEqual([]);
});

test('the event that an endpoint is sent has the link of the page', async () => {
  await world.account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['subscription/actionRequired'] });
  const { id, url } = await pastDue();
  await deliverWebhooks(world.platform.services);
  expect(receiver.received.map(({ event }) => event.data.object)).toMatchObject([
    { id, actionRequired: { reason: 'authentication', url } },
  ]);
});

test('a link takes 120 reads a minute: the 121st is 429', async () => {
  const { url } = await pastDue();
  for (let count = 0; count < 120; count += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => page(url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  }
  expect((await page(url)).status).toBe(429);
  clock.advance(60_000);
  expect((await page(url)).status).toBe(200);
});
