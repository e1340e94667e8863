import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startTestPlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

test('a year on a test clock: twelve charges and twelve signed webhooks in order, across a rotation', {
  timeout: 60_000,
}, async () => {
  const platform = await startTestPlatform({ jobs: true, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const receiver = await startReceiver();
  try {
    const account = await (await seedPartner(platform)).account();
    const { api } = account;
    const priceId = await priceOf(account);
    const webhook = await api.ok('/webhooks', {
      url: receiver.url,
      eventTypes: ['subscription/rebillSucceeded'],
      ordered: true,
    });
    const clock = await api.ok('/test-clocks/create', { name: 'A year', now: '2027-01-15T12:00:00Z' });
    const { id: customerId } = await api.ok('/customers/create', {
      email: 'yearly@example.com',
      testClockId: clock.id,
    });
    await api.ok('/payment-instruments/create-from-token', { token: 'tok_visa', customerId });
    const subscription = await api.ok('/subscriptions/create', { customerId, priceId });

    const began = performance.now();
    const advancing = api.ok(`/test-clocks/${clock.id}/advance`, { to: '2028-01-15T12:00:00Z' });
    await receiver.arrived(3);
    // During the advance: the receiver continues with the old secret, and changes to the new one at any time.
    const rotated = await api.ok(`/webhooks/${webhook.id}/rotate-secret`, {});
    const reached = await advancing;
    await expect.poll(async () => (await api.ok(`/test-clocks/${clock.id}`)).status, { timeout: 30_000 }).toBe('ready');
    await receiver.arrived(12);
    const seconds = (performance.now() - began) / 1000;

    const months = Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(2027, index + 1, 15, 12)).toISOString());
    const { items: payments } = await api.ok('/payments', {
      filters: { subscriptionId: subscription.id },
      sortBy: { field: 'createdAt', direction: 'asc' },
    });
    expect(
      payments.slice(1).map(({ createdAt, status }: { createdAt: string; status: string }) => `${createdAt} ${status}`),
    ).toEqual(months.map((month) => `${month} succeeded`));
    expect(receiver.received.map(({ event }) => event['createdAt'])).toEqual(months);
    for (const { text, headers } of receiver.received)
      expect(new Webhook(webhook.secret).verify(text, headers as Record<string, string>)).toMatchObject({
        type: 'subscription/rebillSucceeded',
      });
    const last = receiver.received.at(-1);
    expect(new Webhook(rotated.secret).verify(last?.text ?? '', last?.headers as Record<string, string>)).toMatchObject(
      { createdAt: months.at(-1) },
    );
    const { items: events } = await api.ok('/events/list', { filters: { type: ['subscription/rebillSucceeded'] } });
    expect(events.map(({ id }: { id: string }) => id).toReversed()).toEqual(
      receiver.received.map(({ event }) => event.id),
    );
    console.info(
      `a year, twelve charges and webhooks in ${seconds.toFixed(1)} s, ${reached.stepsDone} steps at the answer`,
    );
  } finally {
    await receiver.close();
    await platform.close();
  }
});
