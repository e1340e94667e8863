import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import type { WebhookSender } from '../../../src/ports/webhook-sender.ts';
import { usePlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

let account: SeededAccount;

let status = 200;

const platform = await usePlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const receiver = await startReceiver(() => status);
beforeEach(async () => {
  status = 200;
  receiver.received.length = 0;
  account = await (await seedPartner(platform)).account();
});
afterAll(async () => {
  await receiver?.close();
});

const begin = '2028-02-01T00:00:00.000Z';
const after = (hours: number) => new Date(Date.parse(begin) + hours * 3_600_000).toISOString();

async function onClock(): Promise<{
  advance(hours: number): Promise<Record<string, unknown>>;
  happen(email: string): Promise<void>;
  webhook: { id: string; secret: string };
  attempts(): Promise<{ at: string; status: number }[]>;
  delivery(): Promise<Record<string, unknown>>;
}> {
  const clock = await account.api.ok('/test-clocks/create', { name: 'Webhooks', now: begin });
  const webhook = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['customer/created'] });
  const delivery = async () => (await account.api.ok(`/webhooks/${webhook.id}/deliveries/list`, {})).items[0];
  return {
    webhook,
    delivery,
    advance: (hours) => account.api.ok(`/test-clocks/${clock.id}/advance`, { to: after(hours) }),
    happen: (email) => account.api.ok('/customers/create', { email, testClockId: clock.id }),
    attempts: async () => (await delivery()).attempts,
  };
}

test('an event of a stopped clock is sent immediately, with a signature valid in real time', async () => {
  const { happen, webhook, delivery } = await onClock();
  await happen('now@example.com');
  expect(await deliverWebhooks(platform.services)).toBe(1);
  const [{ text, headers, event }] = receiver.received as [(typeof receiver.received)[number]];
  expect(new Webhook(webhook.secret).verify(text, headers as Record<string, string>)).toMatchObject({
    type: 'customer/created',
    createdAt: begin,
  });
  expect(event['createdAt']).toBe(begin);
  expect(await delivery()).toMatchObject({ status: 'delivered', attempts: [{ at: begin, status: 200 }] });
});

test('a receiver that is down for a day of the clock is sent its events by the schedule of the clock', async () => {
  const { happen, advance, attempts, delivery } = await onClock();
  status = 500;
  await happen('down@example.com');
  await deliverWebhooks(platform.services);
  // Retries follow the test clock: none is due, however long the platform runs in real time.
  expect(await deliverWebhooks(platform.services)).toBe(0);
  expect(await attempts()).toMatchObject([{ at: begin, status: 500 }]);
  // A minute later: one retry, five seconds after the first attempt.
  expect(await advance(1 / 60)).toMatchObject({ status: 'ready', stepsDone: 1 });
  expect(await attempts()).toHaveLength(2);
  await advance(24);
  status = 200;
  const failed = await attempts();
  expect(failed.length).toBeGreaterThanOrEqual(6);
  expect(failed.every((attempt, index) => index === 0 || attempt.at > (failed[index - 1]?.at ?? ''))).toBe(true);
  expect(await advance(60)).toMatchObject({ status: 'ready' });
  expect(await delivery()).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  expect((await attempts()).length).toBe(failed.length + 1);
});

test('a receiver that stays down: ten attempts, dead, and disabled after five days of the clock', async () => {
  const { happen, advance, attempts, delivery, webhook } = await onClock();
  status = 503;
  await happen('gone1@example.com');
  await advance(24 * 5.5);
  expect(await delivery()).toMatchObject({ status: 'dead', nextAttemptAt: null });
  expect(await attempts()).toHaveLength(10);
  expect(await account.api.ok(`/webhooks/${webhook.id}`)).toMatchObject({ enabled: true });
  await happen('gone2@example.com');
  await advance(24 * 5.5 + 1);
  expect(await account.api.ok(`/webhooks/${webhook.id}`)).toMatchObject({ enabled: false, disabledReason: 'failing' });
});

test('a failure in real time and one on a clock years ahead are not five days of failing', async () => {
  const { happen, advance, webhook } = await onClock();
  status = 500;
  await account.api.ok('/customers/create', { email: 'real@example.com' });
  await deliverWebhooks(platform.services);
  await happen('ahead@example.com');
  await advance(1);
  expect(await account.api.ok(`/webhooks/${webhook.id}`)).toMatchObject({ enabled: true });
  const kept = await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: webhook.id } });
  expect([kept.failingSince?.toISOString(), kept.failingClockId]).toEqual([begin, expect.stringMatching(/^clock_/)]);
});

test('a silent receiver has a short timeout during an advance until it answers; order is kept', async () => {
  const sender = platform.services.webhookSender;
  const sent: string[] = [];
  let silent = true;
  // As a connection to a receiver that never answers, without the ten seconds.
  const send: WebhookSender['send'] = (request) => {
    const { type, data } = JSON.parse(request.body) as { type: string; data: { object: { email: string } } };
    sent.push(`${data.object.email} ${type}${request.hasShortTimeout ? ' short' : ''}`);
    return silent
      ? Promise.resolve({
          status: null,
          durationMs: 10_000,
          responseBody: null,
          responseHeaders: null,
          retryAfter: null,
          timedOut: true,
          error: 'No answer within 10 s.',
          aborted: false,
        })
      : sender.send(request);
  };
  try {
    platform.services.webhookSender = { ...sender, send };
    const clock = await account.api.ok('/test-clocks/create', { name: 'Black hole', now: begin });
    const webhook = await account.api.ok('/webhooks', {
      url: receiver.url,
      eventTypes: ['customer/created', 'customer/updated'],
      ordered: true,
    });
    const { id } = await account.api.ok('/customers/create', { email: 'one@example.com', testClockId: clock.id });
    await account.api.ok(`/customers/${id}`, { firstName: 'x' }, { method: 'PUT' });
    await account.api.ok('/customers/create', { email: 'two@example.com', testClockId: clock.id });
    await account.api.ok(`/test-clocks/${clock.id}/advance`, { to: after(4) });
    // Both have the full timeout at first; then the failed deliveries are retried together, four times in as many
    // hours.
    expect(sent.slice(0, 2).sort()).toEqual(['one@example.com customer/created', 'two@example.com customer/created']);
    expect(sent.slice(2).sort()).toEqual([
      ...Array(4).fill('one@example.com customer/created short'),
      ...Array(4).fill('two@example.com customer/created short'),
    ]);
    const attemptsOf = (
      await account.api.ok(`/webhooks/${webhook.id}/deliveries/list`, {
        filters: { eventType: ['customer/created'] },
      })
    ).items.map(({ attempts }: { attempts: { at: string }[] }) => attempts.map(({ at }) => at));
    expect(attemptsOf[0]).toEqual(attemptsOf[1]);
    sent.length = 0;
    silent = false;
    await account.api.ok(`/test-clocks/${clock.id}/advance`, { to: after(12) });
    expect(sent.slice(0, 2).sort()).toEqual([
      'one@example.com customer/created short',
      'two@example.com customer/created short',
    ]);
    expect(sent.slice(2)).toEqual(['one@example.com customer/updated']);
    expect(
      (await account.api.ok(`/webhooks/${webhook.id}/deliveries/list`, { filters: { status: ['delivered'] } })).total,
    ).toBe(3);
  } finally {
    platform.services.webhookSender = sender;
  }
});

test('a redelivery is sent immediately and starts its schedule at the time of the clock', async () => {
  const { happen, advance, delivery } = await onClock();
  await happen('again@example.com');
  await deliverWebhooks(platform.services);
  await advance(3);
  status = 500;
  const { id } = await delivery();
  expect(await account.api.ok(`/webhooks/deliveries/${String(id)}/redeliver`, {})).toMatchObject({
    status: 'pending',
    nextAttemptAt: after(3),
  });
  expect(await deliverWebhooks(platform.services)).toBe(1);
  expect(await delivery()).toMatchObject({ status: 'failed', attempts: [{ at: begin }, { at: after(3) }] });
});
