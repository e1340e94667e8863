import { describe, expect, test } from 'vitest';
import { deliverWebhooks, measureWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { startTestPlatform } from '../../support/platform.ts';
import { deliveryWorld } from './delivery-world.ts';

const world = deliveryWorld();
const { clock, receiver, endpoint, deliveriesOf, customer, deliver, followSchedule } = world;

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
      for (const firstName of ['A', 'B'])
        await world.account.api.ok(`/customers/${id}`, { firstName }, { method: 'PUT' });
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
    await world.account.api.ok(`/customers/${customerId}`, { firstName: 'A' }, { method: 'PUT' });
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
      databaseUrl: world.platform.databaseUrl,
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
    await world.platform.services.pool.query(
      `UPDATE webhook_deliveries SET "leasedUntil" = $1 WHERE "endpointId" = $2`,
      [new Date(clock.now().getTime() + 30_000), id],
    );
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
    const pass = deliverWebhooks(world.platform.services, stopping.signal);
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
    (await world.platform.services.metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('platform_webhook') && !line.includes('_bucket'));
  await deliver();
  const to = await receiver(() => 500);
  await endpoint(to.url);
  await customer();
  clock.advance(7_000);
  await measureWebhooks(world.platform.services);
  expect(await figures()).toContain('platform_webhook_oldest_due_seconds 7');
  await deliver();
  await measureWebhooks(world.platform.services);
  const after = await figures();
  expect(after).toContain('platform_webhook_oldest_due_seconds 0');
  for (const outcome of ['delivered', 'failed', 'dead'])
    expect(after).toContainEqual(
      expect.stringMatching(`^platform_webhook_attempt_duration_seconds_count\\{outcome="${outcome}"\\} [1-9]`),
    );
  expect(after).toContainEqual(expect.stringMatching(/^platform_webhook_lag_seconds_count [1-9]/));
});
