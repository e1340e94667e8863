import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Receiver } from '../../support/receiver.ts';
import { seedPartner } from '../../support/seed.ts';
import { dayMs, deliveryWorld } from './delivery-world.ts';

const world = deliveryWorld();
const { clock, receiver, endpoint, deliveriesOf, customer, deliver, followSchedule } = world;

describe('what is sent', () => {
  test('the event as GET /events/:eventId returns it, signed by Standard Webhooks', async () => {
    const to = await receiver();
    const { id, secret } = await endpoint(to.url);
    const { id: customerId } = await customer();
    await deliver();
    const [one] = to.received;
    if (!one) throw new Error('Nothing arrived.');
    expect(to.received).toHaveLength(1);
    expect(one.event).toMatchObject({ type: 'customer/created', sequence: 1, data: { object: { id: customerId } } });
    expect(one.event).toEqual(await world.account.api.ok(`/events/${one.event.id}`));
    expect(one.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': one.event.id,
      'webhook-timestamp': String(Math.floor(clock.now().getTime() / 1000)),
    });
    expect(one.headers['webhook-signature']).toBe(new Webhook(secret).sign(one.event.id, clock.now(), one.text));
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toEqual({
      id: expect.stringMatching(/^whd_[0-9A-Za-z]{16,}$/),
      eventId: one.event.id,
      eventType: 'customer/created',
      status: 'delivered',
      nextAttemptAt: null,
      createdAt: one.event['createdAt'],
      attempts: [
        {
          at: clock.now().toISOString(),
          status: 200,
          durationMs: expect.any(Number),
          responseBody: '',
          error: null,
        },
      ],
    });
  });

  test('only the subscribed types, only of the account, and of one store if it is named', async () => {
    const to = { types: await receiver(), other: await receiver(), store: await receiver(), partner: await receiver() };
    await endpoint(to.types.url, { eventTypes: ['customer/updated'] });
    const { id: storeId } = await world.account.api.ok('/stores/create', { name: 'Second' });
    await endpoint(to.store.url, { storeId });
    await world.partner.api.ok('/webhooks', { url: to.partner.url, eventTypes: ['customer/created'] });
    const other = await world.partner.account();
    await other.api.ok('/webhooks', { url: to.other.url, eventTypes: ['customer/created'] });

    const first = await world.account.api.ok('/customers/create', {
      email: 'types@example.com',
      storeId: world.account.storeId,
    });
    const second = await world.account.api.ok('/customers/create', { email: 'types@example.com', storeId });
    const elsewhere = await other.api.ok('/customers/create', { email: 'types@example.com' });
    await world.account.api.ok(`/customers/${first.id}`, { firstName: 'A' }, { method: 'PUT' });
    await deliver();
    const arrived = (at: Receiver) => at.received.map(({ event }) => event.data.object['id']).sort();
    expect(arrived(to.types)).toEqual([first.id]);
    expect(arrived(to.store)).toEqual([second.id]);
    expect(arrived(to.partner)).toEqual([first.id, second.id, elsewhere.id].sort());
    expect(arrived(to.other)).toEqual([elsewhere.id]);
    const { items } = await world.partner.api.ok('/webhooks/list', { filters: { enabled: true } });
    await world.partner.api.ok(
      `/webhooks/${items.find((item: { platformAccountId: string | null }) => item.platformAccountId === null).id}`,
      undefined,
      { method: 'DELETE' },
    );
  });

  test('an endpoint of a partner gets the events of all its accounts of its own mode, and of no other', async () => {
    const to = await receiver();
    const live = await seedPartner(world.platform, 'live', world.partner.id);
    const inLive = await live.account();
    const ofTest = await world.partner.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    const ofLive = await live.api.ok('/webhooks', {
      url: 'https://hooks.example.com',
      eventTypes: ['customer/created'],
    });
    const { id } = await customer();
    const { id: liveId } = await inLive.api.ok('/customers/create', { email: 'live@example.com' });
    const { items } = await live.api.ok(`/webhooks/${ofLive.id}/deliveries/list`, {});
    const { data } = await inLive.api.ok(`/events/${items[0].eventId}`);
    expect([items.length, data.object.id]).toEqual([1, liveId]);
    await live.api.ok(`/webhooks/${ofLive.id}`, undefined, { method: 'DELETE' });
    await deliver();
    expect(to.received.map(({ event }) => event.data.object['id'])).toEqual([id]);
    await world.partner.api.ok(`/webhooks/${ofTest.id}`, undefined, { method: 'DELETE' });
  });

  test('every event of a charge, each once', async () => {
    const to = await receiver();
    await endpoint(to.url, { eventTypes: ['payment/created', 'payment/succeeded', 'paymentInstrument/created'] });
    await world.account.charge();
    await deliver();
    expect(to.received.map(({ event }) => event.type).sort()).toEqual([
      'payment/created',
      'payment/succeeded',
      'paymentInstrument/created',
    ]);
    await deliver();
    expect(to.received).toHaveLength(3);
  });

  test('webhook/test, for any subscription', async () => {
    const to = await receiver();
    const { id, secret } = await endpoint(to.url);
    const requested = await world.account.api.ok(`/webhooks/${id}/test`, {});
    expect(requested).toMatchObject({ eventType: 'webhook/test', status: 'pending', attempts: [] });
    await deliver();
    expect(to.received[0]?.event).toMatchObject({
      id: requested.eventId,
      type: 'webhook/test',
      livemode: false,
      platformAccountId: world.account.id,
      data: { object: { id, url: to.url } },
    });
    expect(to.received[0]?.text).not.toContain(secret);
    expect((await deliveriesOf(id))[0]).toMatchObject({ id: requested.id, status: 'delivered' });
  });

  test.each([
    ['partners', 'suspended'],
    ['partners', 'offboarded'],
    ['processing_accounts', 'suspended'],
    ['processing_accounts', 'closed'],
  ])('what was written is delivered once the row in %s is %s', async (table, status) => {
    const to = await receiver();
    await endpoint(to.url);
    const { id } = await customer();
    const rowId = table === 'partners' ? world.partner.id : world.account.id;
    const become = (next: string) =>
      world.platform.services.pool.query(`UPDATE ${table} SET status = $1 WHERE id = $2`, [next, rowId]);
    await become(status);
    await deliver();
    await become('active');
    expect(to.received.map(({ event }) => event.data.object['id'])).toEqual([id]);
  });

  test('nothing for a change that was rolled back', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await world.account.api.ok('/customers/create', { email: 'taken@example.com' });
    const second = await customer();
    expect(
      (await world.account.api.call(`/customers/${second.id}`, { email: 'taken@example.com' }, { method: 'PUT' }))
        .status,
    ).toBe(409);
    expect(await deliveriesOf(id)).toHaveLength(2);
  });
});

describe('rotation', () => {
  test('both secrets sign for 24 hours, then the new one alone', async () => {
    const to = await receiver();
    const { id, secret: first } = await endpoint(to.url);
    const signatures = async () => {
      const { id: customerId } = await customer();
      await deliver();
      const one = to.received.find(({ event }) => event.data.object['id'] === customerId);
      if (!one) throw new Error('Nothing arrived.');
      return {
        list: String(one.headers['webhook-signature']).split(' '),
        by: (secret: string) => new Webhook(secret).sign(one.event.id, clock.now(), one.text),
      };
    };
    const { secret: second } = await world.account.api.ok(`/webhooks/${id}/rotate-secret`, {});
    const at = clock.now().getTime();
    for (const afterMs of [0, dayMs - 1]) {
      clock.set(new Date(at + afterMs));
      const { list, by } = await signatures();
      expect(list).toEqual([by(second), by(first)]);
    }
    clock.set(new Date(at + dayMs));
    const { list, by } = await signatures();
    expect(list).toEqual([by(second)]);
  });
});

describe('redelivery', () => {
  test('of one: the same id and body again, with all attempts kept and a new schedule', async () => {
    let status = 500;
    const to = await receiver(() => status);
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    await followSchedule(id);
    status = 200;
    const [dead] = await deliveriesOf(id);
    const again = await world.account.api.ok(`/webhooks/deliveries/${dead.id}/redeliver`, {});
    expect(again).toEqual({ ...dead, status: 'pending', nextAttemptAt: clock.now().toISOString() });
    await deliver();
    const [delivered] = await deliveriesOf(id);
    expect(delivered).toMatchObject({ status: 'delivered' });
    expect(delivered.attempts).toHaveLength(11);
    expect(new Set(to.received.map(({ headers, text }) => `${headers['webhook-id']} ${text}`)).size).toBe(1);
    status = 500;
    await world.account.api.ok(`/webhooks/deliveries/${dead.id}/redeliver`, {});
    await deliver();
    const [failed] = await deliveriesOf(id);
    expect(failed.status).toBe('failed');
    expect(Date.parse(failed.nextAttemptAt) - clock.now().getTime()).toBeLessThanOrEqual(6_000);
  });

  test('of all since a moment, inclusive: delivered, dead, and missed while disabled', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await customer();
    clock.advance(1);
    const since = clock.now().toISOString();
    await customer();
    await deliver();
    await world.account.api.ok(`/webhooks/${id}`, { enabled: false }, { method: 'PUT' });
    clock.advance(1_000);
    const { id: missed } = await customer();
    await world.account.api.ok(`/webhooks/${id}`, { enabled: true }, { method: 'PUT' });
    await deliver();
    expect(to.received).toHaveLength(2);
    expect(await world.account.api.ok(`/webhooks/${id}/redeliver`, { since })).toEqual({ redelivered: 2 });
    await deliver();
    expect(to.received).toHaveLength(4);
    expect(to.received.slice(2).map(({ event }) => event.data.object['id'])).toContain(missed);
  });

  test('404 for a delivery of another account, or an unknown one', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await customer();
    const [delivery] = await deliveriesOf(id);
    const other = await world.partner.account();
    for (const [api, deliveryId] of [
      [other.api, delivery.id],
      [world.account.api, 'whd_00000000000000000000'],
    ] as const) {
      const answer = await api.call(`/webhooks/deliveries/${deliveryId}/redeliver`, {});
      expect([answer.status, answer.body.message]).toEqual([404, 'Delivery not found.']);
    }
  });
});
