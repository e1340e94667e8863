import { describe, expect, test } from 'vitest';
import { retryStepsMs } from '../../../src/domains/webhooks/deliveries/schedule.ts';
import { dayMs, deliveryWorld } from './delivery-world.ts';

const world = deliveryWorld();
const { clock, receiver, endpoint, deliveriesOf, customer, deliver, followSchedule } = world;

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
    expect((await world.account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
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
    expect((await world.account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);

    clock.set(new Date(began + 5 * dayMs - 1));
    await customer();
    await deliver();
    expect((await world.account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
    clock.set(new Date(began + 5 * dayMs));
    await customer();
    await deliver();
    expect(await world.account.api.ok(`/webhooks/${id}`)).toMatchObject({ enabled: false, disabledReason: 'failing' });
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
    expect((await world.account.api.ok(`/webhooks/${id}`)).enabled).toBe(true);
  });

  test('410 disables immediately, and open deliveries are dead', async () => {
    const to = await receiver((_one, count) => (count === 1 ? 500 : 410));
    const { id } = await endpoint(to.url);
    await customer();
    await deliver();
    await customer();
    await deliver();
    expect(await world.account.api.ok(`/webhooks/${id}`)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    expect((await deliveriesOf(id)).map(({ status }: { status: string }) => status)).toEqual(['dead', 'dead']);
    // Once enabled again, it receives new events; events of the time in between are delivered on request.
    await customer();
    await world.account.api.ok(`/webhooks/${id}`, { enabled: true }, { method: 'PUT' });
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
    await world.account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
    clock.advance(10_000);
    await deliver();
    expect(to.received).toHaveLength(1);
    expect(
      await world.platform.services.prisma.webhookDelivery.groupBy({
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
    await world.account.api.ok(`/webhooks/${id}`, { url: up.url }, { method: 'PUT' });
    clock.advance(10_000);
    await deliver();
    expect(up.received).toHaveLength(1);
  });
});
