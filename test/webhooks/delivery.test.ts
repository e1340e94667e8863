import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliverWebhooks, measureWebhooks } from '../../src/domains/webhooks/jobs.ts';
import { retryStepsMs } from '../../src/domains/webhooks/schedule.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const clock = manualClock(new Date());
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
const receivers: Receiver[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  partner = await seedPartner(platform);
});
beforeEach(async () => {
  account = await partner.account();
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await platform?.close();
});

async function receiver(answer?: Answering): Promise<Receiver> {
  const made = await startReceiver(answer);
  receivers.push(made);
  return made;
}

const endpoint = (url: string, more: object = {}) =>
  account.api.ok('/webhooks', { url, eventTypes: ['customer/created', 'customer/updated'], ...more });
const deliveriesOf = async (webhookId: string, more: object = {}) =>
  (await account.api.ok(`/webhooks/${webhookId}/deliveries/list`, { pageSize: 100, ...more })).items;
const customer = (email = `${Math.random()}@example.com`) => account.api.ok('/customers/create', { email });
const deliver = () => deliverWebhooks(platform.services);

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
    expect(one.event).toEqual(await account.api.ok(`/events/${one.event.id}`));
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
    const { id: storeId } = await account.api.ok('/stores/create', { name: 'Second' });
    await endpoint(to.store.url, { storeId });
    await partner.api.ok('/webhooks', { url: to.partner.url, eventTypes: ['customer/created'] });
    const other = await partner.account();
    await other.api.ok('/webhooks', { url: to.other.url, eventTypes: ['customer/created'] });

    const first = await account.api.ok('/customers/create', { email: 'types@example.com', storeId: account.storeId });
    const second = await account.api.ok('/customers/create', { email: 'types@example.com', storeId });
    const elsewhere = await other.api.ok('/customers/create', { email: 'types@example.com' });
    await account.api.ok(`/customers/${first.id}`, { firstName: 'A' }, { method: 'PUT' });
    await deliver();
    const arrived = (at: Receiver) => at.received.map(({ event }) => event.data.object['id']).sort();
    expect(arrived(to.types)).toEqual([first.id]);
    expect(arrived(to.store)).toEqual([second.id]);
    expect(arrived(to.partner)).toEqual([first.id, second.id, elsewhere.id].sort());
    expect(arrived(to.other)).toEqual([elsewhere.id]);
    const { items } = await partner.api.ok('/webhooks/list', { filters: { enabled: true } });
    await partner.api.ok(
      `/webhooks/${items.find((item: { platformAccountId: string | null }) => item.platformAccountId === null).id}`,
      undefined,
      { method: 'DELETE' },
    );
  });

  test('every event of a charge, each once', async () => {
    const to = await receiver();
    await endpoint(to.url, { eventTypes: ['payment/created', 'payment/succeeded', 'paymentInstrument/created'] });
    await account.charge();
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
    const asked = await account.api.ok(`/webhooks/${id}/test`, {});
    expect(asked).toMatchObject({ eventType: 'webhook/test', status: 'pending', attempts: [] });
    await deliver();
    expect(to.received[0]?.event).toMatchObject({
      id: asked.eventId,
      type: 'webhook/test',
      livemode: false,
      platformAccountId: account.id,
      data: { object: { id, url: to.url } },
    });
    expect(to.received[0]?.text).not.toContain(secret);
    expect((await deliveriesOf(id))[0]).toMatchObject({ id: asked.id, status: 'delivered' });
  });

  test('nothing for a change that was rolled back', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await account.api.ok('/customers/create', { email: 'taken@example.com' });
    const second = await customer();
    expect(
      (await account.api.call(`/customers/${second.id}`, { email: 'taken@example.com' }, { method: 'PUT' })).status,
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
    const { secret: second } = await account.api.ok(`/webhooks/${id}/rotate-secret`, {});
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

describe('failure', () => {
  test.each([
    300, 302, 404, 500,
  ])('a %i is a failure that is retried in about 5 s, and then delivered', async (status) => {
    const to = await receiver((_one, count) => (count === 1 ? status : 204));
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    const [failed] = await deliveriesOf(id);
    expect(failed).toMatchObject({
      status: 'failed',
      attempts: [{ status, error: `The receiver answered ${status}.` }],
    });
    const waitMs = Date.parse(failed.nextAttemptAt) - clock.now().getTime();
    expect(waitMs).toBeGreaterThanOrEqual(4_000);
    expect(waitMs).toBeLessThanOrEqual(6_000);
    clock.advance(waitMs - 1);
    await deliver();
    expect(to.received).toHaveLength(1);
    clock.advance(1);
    await deliver();
    expect((await deliveriesOf(id))[0]).toMatchObject({
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [{ status }, { status: 204, error: null }],
    });
    expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(to.received.map(({ text }) => text)).size).toBe(1);
  });

  test('a receiver that is down for a minute receives it at the second retry', async () => {
    const began = clock.now().getTime();
    const to = await receiver(() => (clock.now().getTime() - began < 60_000 ? 503 : 200));
    const { id } = await endpoint(to.url);
    await customer();
    await followSchedule(id);
    expect((await deliveriesOf(id))[0].attempts.map((one: { status: number }) => one.status)).toEqual([503, 503, 200]);
  });

  test('a receiver that is down for a day receives everything later', async () => {
    const began = clock.now().getTime();
    const to = await receiver(() => (clock.now().getTime() - began < dayMs ? 503 : 200));
    const { id } = await endpoint(to.url);
    for (let index = 0; index < 5; index++) await customer();
    await followSchedule(id);
    const all = await deliveriesOf(id);
    expect(all.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill('delivered'));
    expect(clock.now().getTime() - began).toBeLessThan(3 * dayMs);
    expect((await account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
  });

  test('a receiver that stays down: ten attempts, then dead, and disabled after five days', async () => {
    const to = await receiver(() => 500);
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    const began = clock.now().getTime();
    await followSchedule(id);
    const [dead] = await deliveriesOf(id);
    expect(dead).toMatchObject({ status: 'dead', nextAttemptAt: null });
    expect(dead.attempts).toHaveLength(10);
    retryStepsMs.forEach((step, index) => {
      const waitMs = Date.parse(dead.attempts[index + 1].at) - Date.parse(dead.attempts[index].at);
      expect(waitMs).toBeGreaterThanOrEqual(step * 0.8);
      expect(waitMs).toBeLessThanOrEqual(step * 1.2);
    });
    expect((await account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);

    clock.set(new Date(began + 5 * dayMs - 1));
    await customer();
    await deliver();
    expect((await account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
    clock.set(new Date(began + 5 * dayMs));
    await customer();
    await deliver();
    expect(await account.api.ok(`/webhooks/${id}`)).toMatchObject({ enabled: false, disabledReason: 'failing' });
    await customer();
    await deliver();
    expect(
      (await deliveriesOf(id)).map(({ status, nextAttemptAt }: Record<string, unknown>) => [status, nextAttemptAt]),
    ).toEqual(Array(4).fill(['dead', null]));
    const sent = to.received.length;
    clock.advance(dayMs);
    await deliver();
    expect(to.received).toHaveLength(sent);
  });

  test('a success restarts the five days', async () => {
    const began = clock.now().getTime();
    const to = await receiver(() => (clock.now().getTime() - began === 4 * dayMs ? 200 : 500));
    const { id } = await endpoint(to.url);
    for (const day of [0, 4, 5]) {
      clock.set(new Date(began + day * dayMs));
      await customer();
      await deliver();
    }
    expect((await account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
  });

  test('410 disables immediately, and open deliveries are dead', async () => {
    const to = await receiver((_one, count) => (count === 1 ? 500 : 410));
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    await customer();
    await deliver();
    expect(await account.api.ok(`/webhooks/${id}`)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    expect((await deliveriesOf(id)).map(({ status }: { status: string }) => status)).toEqual(['dead', 'dead']);
    // Once enabled again, it receives new events; events of the time in between are delivered on request.
    await customer();
    await account.api.ok(`/webhooks/${id}`, { enabled: true }, { method: 'PUT' });
    await deliver();
    expect(to.received).toHaveLength(2);
  });

  test('Retry-After lengthens a step', async () => {
    const to = await receiver((_one, _count, response) => void response.writeHead(429, { 'Retry-After': '120' }).end());
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    expect(Date.parse((await deliveriesOf(id))[0].nextAttemptAt) - clock.now().getTime()).toBe(120_000);
  });

  test('a deleted endpoint receives nothing more, nor its deliveries in flight', async () => {
    const to = await receiver(() => 500);
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    await customer();
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
    clock.advance(10_000);
    await deliver();
    expect(to.received).toHaveLength(1);
    expect(
      await platform.services.prisma.webhookDelivery.groupBy({
        by: ['status'],
        where: { endpointId: id },
        _count: true,
      }),
    ).toEqual([{ status: 'dead', _count: 2 }]);
  });

  test('a new address is used from the next attempt', async () => {
    const down = await receiver(() => 500);
    const up = await receiver();
    const { id } = await endpoint(down.url);
    await customer();
    await deliver();
    await account.api.ok(`/webhooks/${id}`, { url: up.url }, { method: 'PUT' });
    clock.advance(10_000);
    await deliver();
    expect(up.received).toHaveLength(1);
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
    const again = await account.api.ok(`/webhooks/deliveries/${dead.id}/redeliver`, {});
    expect(again).toEqual({ ...dead, status: 'pending', nextAttemptAt: clock.now().toISOString() });
    await deliver();
    const [delivered] = await deliveriesOf(id);
    expect(delivered).toMatchObject({ status: 'delivered' });
    expect(delivered.attempts).toHaveLength(11);
    expect(new Set(to.received.map(({ headers, text }) => `${headers['webhook-id']} ${text}`)).size).toBe(1);
    status = 500;
    await account.api.ok(`/webhooks/deliveries/${dead.id}/redeliver`, {});
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
    await account.api.ok(`/webhooks/${id}`, { enabled: false }, { method: 'PUT' });
    clock.advance(1_000);
    const { id: missed } = await customer();
    await account.api.ok(`/webhooks/${id}`, { enabled: true }, { method: 'PUT' });
    await deliver();
    expect(to.received).toHaveLength(2);
    expect(await account.api.ok(`/webhooks/${id}/redeliver`, { since })).toEqual({ redelivered: 2 });
    await deliver();
    expect(to.received).toHaveLength(4);
    expect(to.received.slice(2).map(({ event }) => event.data.object['id'])).toContain(missed);
  });

  test('404 for a delivery of another account, or an unknown one', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await customer();
    const [delivery] = await deliveriesOf(id);
    const other = await partner.account();
    for (const [api, deliveryId] of [
      [other.api, delivery.id],
      [account.api, 'whd_00000000000000000000'],
    ] as const) {
      const answer = await api.call(`/webhooks/deliveries/${deliveryId}/redeliver`, {});
      expect([answer.status, answer.body.message]).toEqual([404, 'There is no such delivery.']);
    }
  });
});

describe('many at once', () => {
  test('a slow receiver delays no other and has at most ten open requests', async () => {
    const held: (() => void)[] = [];
    const slow = await receiver((_one, _count, response) => void held.push(() => response.writeHead(200).end()));
    const quick = await receiver();
    const { id } = await endpoint(slow.url);
    await endpoint(quick.url);
    for (let index = 0; index < 30; index++) await customer();
    const pass = deliver();
    await quick.arrived(30);
    await slow.arrived(10);
    expect(held).toHaveLength(10);
    expect(slow.openMax).toBe(10);
    while (slow.received.length < 30 || held.length > 0) {
      held.splice(0).forEach((answer) => answer());
      if (slow.received.length < 30) await slow.arrived(slow.received.length + 1);
    }
    await pass;
    expect(slow.openMax).toBe(10);
    expect(await deliveriesOf(id, { filters: { status: ['delivered'] } })).toHaveLength(30);
  });

  test('an ordered endpoint has one in flight an object, in order, and continues with other objects', async () => {
    const held: (() => void)[] = [];
    const to = await receiver((_one, _count, response) => void held.push(() => response.writeHead(200).end()));
    await endpoint(to.url, { ordered: true });
    const [first, second] = [await customer(), await customer()];
    for (const { id } of [first, second])
      for (const firstName of ['A', 'B']) await account.api.ok(`/customers/${id}`, { firstName }, { method: 'PUT' });
    const pass = deliver();
    for (const round of [1, 2, 3]) {
      await to.arrived(round * 2);
      // One event of each object, and no more until these are answered.
      expect(
        to.received
          .slice(-2)
          .map(({ event }) => [event.data.object['id'], event['sequence']])
          .sort(),
      ).toEqual(
        [
          [first.id, round],
          [second.id, round],
        ].sort(),
      );
      expect(held).toHaveLength(2);
      held.splice(0).forEach((answer) => answer());
    }
    await pass;
    expect(to.openMax).toBe(2);
  });

  test('on an ordered endpoint an event that fails delays those after it until delivered or dead', async () => {
    const to = await receiver(({ event }) => (event['sequence'] === 1 ? 500 : 200));
    const { id } = await endpoint(to.url, { ordered: true });
    const { id: customerId } = await customer();
    await account.api.ok(`/customers/${customerId}`, { firstName: 'A' }, { method: 'PUT' });
    await deliver();
    expect(to.received.map(({ event }) => event['sequence'])).toEqual([1]);
    await followSchedule(id);
    expect(to.received.map(({ event }) => event['sequence'])).toEqual([...Array(10).fill(1), 2]);
  });

  test('two processes deliver each event once', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    const second = await startTestPlatform({
      clock,
      databaseUrl: platform.databaseUrl,
      env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    try {
      for (let index = 0; index < 60; index++) await customer();
      await Promise.all([deliver(), deliverWebhooks(second.services), deliver(), deliverWebhooks(second.services)]);
    } finally {
      await second.close();
    }
    expect(to.received).toHaveLength(60);
    expect(new Set(to.received.map(({ event }) => event.id)).size).toBe(60);
    expect(await deliveriesOf(id, { filters: { status: ['delivered'] } })).toHaveLength(60);
  });

  test('deliveries leased by a sender that died are sent by another when the lease expires', async () => {
    const to = await receiver();
    const { id } = await endpoint(to.url);
    await customer();
    await platform.services.pool.query(`UPDATE webhook_deliveries SET "leasedUntil" = $1 WHERE "endpointId" = $2`, [
      new Date(clock.now().getTime() + 30_000),
      id,
    ]);
    clock.advance(29_999);
    await deliver();
    expect(to.received).toHaveLength(0);
    clock.advance(1);
    await deliver();
    expect(to.received).toHaveLength(1);
  });

  test('a stop aborts deliveries in flight and releases them', async () => {
    const held: (() => void)[] = [];
    const to = await receiver((_one, count, response) => (count === 1 ? void held.push(() => response.end()) : 200));
    const { id } = await endpoint(to.url);
    await customer();
    const stopping = new AbortController();
    const pass = deliverWebhooks(platform.services, stopping.signal);
    await to.arrived(1);
    stopping.abort();
    await pass;
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: 'pending', attempts: [] });
    await deliver();
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: 'delivered' });
    expect(to.received).toHaveLength(2);
  });
});

test('the metrics count the outcomes of attempts, the delay of events, and the backlog', async () => {
  const figures = async () =>
    (await platform.services.metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('platform_webhook') && !line.includes('_bucket'));
  await deliver();
  const to = await receiver(() => 500);
  await endpoint(to.url);
  await customer();
  clock.advance(7_000);
  await measureWebhooks(platform.services);
  expect(await figures()).toContain('platform_webhook_oldest_due_seconds 7');
  await deliver();
  await measureWebhooks(platform.services);
  const after = await figures();
  expect(after).toContain('platform_webhook_oldest_due_seconds 0');
  for (const outcome of ['delivered', 'failed', 'dead'])
    expect(after).toContainEqual(
      expect.stringMatching(`^platform_webhook_attempt_duration_seconds_count\\{outcome="${outcome}"\\} [1-9]`),
    );
  expect(after).toContainEqual(expect.stringMatching(/^platform_webhook_lag_seconds_count [1-9]/));
});

/** Advances to each next attempt and attempts it, until no delivery is open. */
async function followSchedule(webhookId: string): Promise<void> {
  for (;;) {
    await deliver();
    const open = await platform.services.prisma.webhookDelivery.findMany({
      where: { endpointId: webhookId, nextAttemptAt: { not: null } },
      orderBy: { nextAttemptAt: 'asc' },
    });
    if (open.length === 0) return;
    // On an ordered endpoint, a delivery that is already due waits for the one before it.
    const next = open.find(({ nextAttemptAt }) => nextAttemptAt && nextAttemptAt > clock.now());
    if (!next?.nextAttemptAt) throw new Error('Something is due and is not sent.');
    clock.set(next.nextAttemptAt);
  }
}
