import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { type Client, clientOf } from '../../../support/client.ts';
import { freshDatabase } from '../../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { disableRateLimits } from '../../../support/rates.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../../support/seed.ts';

/** Two servers on one database: both clocks stand still, that of the second an hour behind. */
const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
const late = manualClock(new Date('2026-03-01T11:00:00.000Z'));
let first: TestPlatform;
let second: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  first = await startTestPlatform({ databaseUrl, clock, env });
  second = await startTestPlatform({ databaseUrl, clock: late, env });
  await disableRateLimits(first);
  partner = await seedPartner(first);
  account = await partner.account();
});
afterAll(async () => {
  await second?.close();
  await first?.close();
});

interface Shown {
  id: string;
  sequence: number;
  createdAt: string;
}

/** The events of an object by pages of the default sort, with the cursor. */
async function listed(objectId: string): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await account.api.ok('/events/list', {
      pageSize: 7,
      filters: { objectId },
      ...(cursor && { cursor }),
    });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

async function expectInOrder(objectId: string, count: number): Promise<Shown[]> {
  const newestFirst = await listed(objectId);
  const expected = Array.from({ length: count }, (_, index) => index + 1);
  expect(newestFirst.map(({ sequence }) => sequence)).toEqual(expected.toReversed());
  const { items } = await account.api.ok('/events/list', {
    pageSize: 100,
    filters: { objectId },
    sortBy: { field: 'createdAt', direction: 'asc' },
  });
  expect(items.map(({ sequence }: Shown) => sequence)).toEqual(expected);
  const times = items.map(({ createdAt }: Shown) => createdAt);
  expect(times).toEqual([...times].sort());
  return items;
}

const rename = (api: Client, id: string, n: number) =>
  api.ok(`/customers/${id}`, { firstName: `Name ${n}` }, { method: 'PUT' });

describe('a list of events never contradicts the sequence of an object', () => {
  test('forty events of one object in one millisecond', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'one@example.com' });
    for (let n = 2; n <= 40; n++) await rename(account.api, id, n);
    const items = await expectInOrder(id, 40);
    expect(new Set(items.map(({ createdAt }) => createdAt))).toEqual(new Set([clock.now().toISOString()]));
  });

  test('a payment that a rule blocks has two events in one statement', async () => {
    const { id: rule } = await account.api.ok('/block-rules', { name: 'Every card', binRegex: '4' });
    for (let n = 0; n < 12; n++) {
      const { payment } = await account.charge();
      await expectInOrder(String(payment['id']), 2);
    }
    await account.api.ok(`/block-rules/${rule}`, undefined, { method: 'DELETE' });
  });

  test('two servers whose clocks differ by an hour write in turn', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'two@example.com' });
    const elsewhere = clientOf(second, account.subKey);
    for (let n = 2; n <= 20; n++) await rename(n % 2 === 0 ? elsewhere : account.api, id, n);
    const items = await expectInOrder(id, 20);
    expect(items.at(-1)?.createdAt).toBe(clock.now().toISOString());
  });

  test('two servers whose clocks differ by an hour write at once', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'at-once@example.com' });
    const elsewhere = clientOf(second, account.subKey);
    await Promise.all(Array.from({ length: 20 }, (_, n) => rename(n % 2 === 0 ? elsewhere : account.api, id, n)));
    await expectInOrder(id, 21);
  });

  test('past the number that an id holds', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'many@example.com' });
    const columns = `"partnerId", "platformAccountId", mode, "storeId", type, "objectId", "requestId", data, "createdAt"`;
    await first.services.pool.query(
      `INSERT INTO events (id, sequence, ${columns})
       SELECT left(id, 12) || '999999zzzzzzzz', 999999, ${columns} FROM events WHERE "objectId" = $1`,
      [id],
    );
    await first.services.pool.query('UPDATE customers SET sequence = 999999 WHERE id = $1', [id]);
    await rename(account.api, id, 1);
    await rename(account.api, id, 2);
    const sequences = (await listed(id)).map(({ sequence }) => sequence);
    expect(sequences).toEqual([1_000_001, 1_000_000, 999_999, 1]);
  });

  test('deliveries of an endpoint list in the same order', async () => {
    const to = await startReceiver();
    const { id: webhookId } = await account.api.ok('/webhooks', {
      url: to.url,
      eventTypes: ['customer/created', 'customer/updated'],
    });
    const { id } = await account.api.ok('/customers/create', { email: 'customer@example.com' });
    const elsewhere = clientOf(second, account.subKey);
    for (let n = 2; n <= 12; n++) await rename(n % 2 === 0 ? elsewhere : account.api, id, n);
    const { items } = await account.api.ok(`/webhooks/${webhookId}/deliveries/list`, { pageSize: 100 });
    const events = await listed(id);
    expect(items.map(({ eventId }: { eventId: string }) => eventId)).toEqual(events.map((event) => event.id));
    await deliverWebhooks(first.services);
    expect(to.received.map(({ event }) => event.id).sort()).toEqual(events.map((event) => event.id).sort());
    await to.close();
    await account.api.ok(`/webhooks/${webhookId}`, undefined, { method: 'DELETE' });
  });
});

test('an event in real time after one on a test clock has the time of that clock, and is delivered', async () => {
  const to = await startReceiver();
  const { id: webhookId } = await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/updated'] });
  const { id: testClockId } = await account.api.ok('/test-clocks/create', {
    name: 'Later',
    now: '2031-01-01T00:00:00.000Z',
  });
  const { id } = await account.api.ok('/customers/create', { email: 'later@example.com', testClockId });
  await first.services.pool.query('UPDATE customers SET "testClockId" = NULL WHERE id = $1', [id]);
  await rename(account.api, id, 1);
  const items = await expectInOrder(id, 2);
  expect(items.map(({ createdAt }) => createdAt)).toEqual(Array(2).fill('2031-01-01T00:00:00.000Z'));
  await deliverWebhooks(first.services);
  expect(to.received.map(({ event }) => event.id)).toEqual([items[1]?.id]);
  await to.close();
  await account.api.ok(`/webhooks/${webhookId}`, undefined, { method: 'DELETE' });
});

describe('the event of webhook/test', () => {
  test('GET answers it as it was sent, to the keys that see the endpoint, and no list contains it; without an account for one of all accounts', async () => {
    const to = await startReceiver();
    const ofAll = await partner.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    const ofAccount = await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    const other = await (await seedPartner(first)).account();
    for (const [endpoint, api, stranger, platformAccountId] of [
      [ofAll, partner.api, account.api, null],
      [ofAccount, account.api, other.api, account.id],
    ] as const) {
      const { eventId } = await api.ok(`/webhooks/${endpoint.id}/test`, {});
      await deliverWebhooks(first.services);
      const event = await api.ok(`/events/${eventId}`);
      expect(event).toEqual(to.received.find((one) => one.event.id === eventId)?.event);
      expect(event).toMatchObject({ type: 'webhook/test', platformAccountId, data: { object: { id: endpoint.id } } });
      expect((await stranger.call(`/events/${eventId}`)).status).toBe(404);
      const { items } = await api.ok('/events/list', { filters: { objectId: eventId } });
      expect(items).toEqual([]);
    }
    await to.close();
  });
});

test('events cannot be emptied', async () => {
  await expect(first.services.pool.query('TRUNCATE events')).rejects.toThrow();
  await expect(first.services.pool.query('TRUNCATE events CASCADE')).rejects.toThrow();
});
