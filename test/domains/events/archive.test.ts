import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArchive, readAuditArchive } from '../../../src/database/archive/read-archive.ts';
import { verifyArchive } from '../../../src/database/archive/verify-archive.ts';
import { deliverWebhooks, purgeDeliveries } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { verifyAudit } from '../../../src/people/audit/verify-audit.ts';
import { addAuditRow, archiveAt } from '../../support/archive.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

// A payment that is authorized in the last moment of August and captured in the first one of September.
const clock = manualClock(new Date('2026-08-31T23:59:59.900Z'));
const dir = mkdtempSync(join(tmpdir(), 'platform-archive-'));
const dayMs = 86_400_000;
let platform: TestPlatform;
let account: SeededAccount;
let receiver: Receiver;
let paymentId: string;

beforeAll(async () => {
  platform = await startTestPlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  receiver = await startReceiver();
  account = await (await seedPartner(platform)).account();
  const eventTypes = ['payment/created', 'payment/authorized', 'payment/captured', 'payment/refunded'];
  await account.api.ok('/webhooks', { url: receiver.url, eventTypes, ordered: true });
  await addAuditRow(platform.services.pool, clock.now(), platform.services.auditKeys);
  const { payment } = await account.charge(undefined, { mode: 'auth' });
  paymentId = String(payment['id']);
  clock.set(new Date('2026-09-01T00:00:00Z'));
  await account.api.ok('/payments/capture', { paymentId });
  await addAuditRow(platform.services.pool, clock.now(), platform.services.auditKeys);
});
afterAll(async () => {
  await receiver?.close();
  await platform?.close();
  rmSync(dir, { recursive: true });
});

const archive = (keepMonths = 1) =>
  archiveAt(clock.now(), { ownerUrl: platform.databaseUrl, dir, keepMonths }, platform.services.auditKeys);

/** The events of the payment that lists of events contain, oldest first. */
async function listed(): Promise<{ id: string; type: string; sequence: number }[]> {
  const { items, total } = await account.api.ok('/events/list', { filters: { objectId: paymentId }, pageSize: 100 });
  expect(total).toBe(items.length);
  return items.toReversed();
}

async function archived(query: Parameters<typeof readArchive>[1]): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const line of readArchive(dir, query)) rows.push(JSON.parse(line));
  return rows;
}

const types = (events: readonly Record<string, unknown>[]) => events.map(({ type, sequence }) => [type, sequence]);
const before = [
  ['payment/created', 1],
  ['payment/authorized', 2],
];

test('webhooks of an ordered endpoint keep their order over the border of a month', async () => {
  for (let sent = 0; receiver.received.length < 3; sent++) {
    expect(sent).toBeLessThan(10);
    await deliverWebhooks(platform.services);
  }
  expect(types(receiver.received.map(({ event }) => event))).toEqual([...before, ['payment/captured', 3]]);
});

test('a closed month stays as long as its deliveries, and nothing of it is moved twice', async () => {
  clock.set(new Date('2026-10-01T00:00:00Z'));
  const { items } = await account.api.ok('/webhooks/list', {});
  expect(items).toHaveLength(1);
  const names = (await archive()).map(({ name }) => name);
  expect(names).toEqual(['events-test-2026-08-1', 'audit-2026-08-1']);
  expect(types(await listed())).toEqual([...before, ['payment/captured', 3]]);
  // Events without an endpoint are moved: those of the customer and the card.
  expect((await archived({ kind: 'events' })).map(({ type }) => type)).toContain('customer/created');

  clock.set(new Date(clock.now().getTime() + 31 * dayMs));
  expect(await purgeDeliveries(platform.services)).toBe(3);
  clock.set(new Date('2026-10-31T23:59:59.999Z'));
  expect((await archive()).map(({ name }) => name)).toEqual(['events-test-2026-08-2']);
});

test('what is archived is in no list and 404, and in the archive by id, object, account and time', async () => {
  const events = await archived({ object: paymentId });
  expect(types(events)).toEqual(before);
  expect(types(await listed())).toEqual([['payment/captured', 3]]);
  const [created, authorized] = events;
  expect((await account.api.call(`/events/${created?.['id']}`)).status).toBe(404);
  expect(await archived({ id: String(authorized?.['id']) })).toEqual([authorized]);
  expect(await archived({ account: account.id, object: paymentId })).toEqual(events);
  expect(await archived({ account: 'tpa_other' })).toEqual([]);
  const border = new Date('2026-08-31T23:59:59.900Z');
  expect(await archived({ object: paymentId, from: border })).toEqual(events);
  expect(await archived({ object: paymentId, to: border })).toEqual([]);
});

test('an object goes on with its sequence and its webhooks when its earlier events are archived', async () => {
  clock.set(new Date('2026-12-05T00:00:00Z'));
  await archive();
  expect(await listed()).toEqual([]);
  await account.api.ok('/payments/refund', { paymentId, amount: 100 });
  await account.api.ok('/payments/refund', { paymentId, amount: 100 });
  const after = [
    ['payment/refunded', 4],
    ['payment/refunded', 5],
  ];
  expect(types(await listed())).toEqual(after);
  receiver.received.length = 0;
  for (let sent = 0; receiver.received.length < 2; sent++) {
    expect(sent).toBeLessThan(10);
    await deliverWebhooks(platform.services);
  }
  expect(types(receiver.received.map(({ event }) => event))).toEqual(after);
});

test('events on a test clock stay, whatever their time', async () => {
  const { id: testClockId } = await account.api.ok('/test-clocks/create', {
    name: 'Past',
    now: '2020-01-01T00:00:00Z',
  });
  const { id } = await account.api.ok('/customers/create', { email: 'past@example.com', testClockId });
  expect(await archive()).toEqual([]);
  expect((await account.api.ok('/events/list', { filters: { objectId: id } })).total).toBe(1);
});

test('the chain of the audit log verifies over archive and database, and not without the archive', async () => {
  const { pool, auditKeys } = platform.services;
  expect(await verifyArchive(pool, dir)).toMatchObject({ problems: [] });
  const verdict = await verifyAudit(pool, auditKeys, [], readAuditArchive(dir));
  const { rows } = await pool.query('SELECT sequence::int AS rows FROM audit.head');
  expect(verdict).toMatchObject({ ok: true, ...rows[0] });
  expect(await verifyAudit(pool, auditKeys)).toMatchObject({
    ok: false,
    sequence: 1,
    problem: expect.stringContaining('row 1 is missing: it was moved to audit-2026-08-1'),
  });
});

test.each([
  'DELETE FROM events',
  'DELETE FROM audit_rows',
  `UPDATE archive.files SET status = 'written'`,
])('the role of a server may not: %s', async (statement) => {
  await expect(platform.services.pool.query(statement)).rejects.toThrow('permission denied');
});
