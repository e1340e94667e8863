import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import type { Answer } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import { expectCountersToBeTrue } from '../../support/ledger.ts';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { seedPartner } from '../../support/seed.ts';
import {
  callsOf,
  customerCall,
  type KeyedCall,
  keyedCall,
  type Merchant,
  merchantOf,
  rowsOfPartner,
  tablesOf,
} from './locked-story.ts';

const platform = await usePlatform();
await disableRateLimits(platform);
const held = await merchantOf(await seedPartner(platform));
const neighbor = await merchantOf(await seedPartner(platform));
const [locker, watch] = [await connect(), await connect()];
afterAll(async () => {
  await Promise.all([locker?.end(), watch?.end()]);
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: platform.databaseUrl });
  client.on('error', () => {}); // the database is dropped after a failed test
  await client.connect();
  return client;
}

/** Rows that a call reads, and which changes of the merchant's own lock. */
const read = ['api_keys', 'partners', 'payment_flows', 'processors'];
/** Some of those for which the calls of the merchant do wait: the locks of the test are in their way. */
const waitsFor = [
  'customers',
  'limits.buckets',
  'orders',
  'payments',
  'processing_accounts',
  'stores',
  'subscriptions',
];

/** Locks rows in a transaction, which ends when the returned function is called. */
async function lockRows(statement: string, values: unknown[]): Promise<() => Promise<unknown>> {
  await locker.query('BEGIN');
  const { rowCount } = await locker.query(statement, values);
  expect(rowCount, statement).toBeGreaterThan(0);
  return () => locker.query('ROLLBACK');
}

/** All calls at once, and whether any of them has been answered. */
function start(calls: Record<string, KeyedCall>): { answers: Promise<Record<string, Answer>>; answered: Set<string> } {
  const answered = new Set<string>();
  const ends = Object.entries(calls).map(async ([name, call]) => {
    const answer = await call();
    answered.add(name);
    return [name, answer] as const;
  });
  return { answers: Promise.all(ends).then((all) => Object.fromEntries(all)), answered };
}

/** Resolves when a statement waits for a lock, or all calls are answered. */
async function untilWaitingOrAnswered(answered: Set<string>, count: number): Promise<boolean> {
  for (;;) {
    const { rows } = await watch.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.n ?? 0) > 0) return true;
    if (answered.size === count) return false;
  }
}

async function expectAllOk({ account: { api } }: Merchant, calls: Record<string, KeyedCall>): Promise<void> {
  const { answers } = start(calls);
  const list = api.call('/payments', {});
  const statuses = Object.entries(await answers).map(([name, { status }]) => [name, status]);
  expect(statuses).toEqual(Object.keys(calls).map((name) => [name, 200]));
  expect((await list).status).toBe(200);
}

/** Nothing was done for an answer of 503, and the repeat does it. A repeat of 200 is the same answer. */
async function expectDoneOnce(calls: Record<string, KeyedCall>, first: Record<string, Answer>): Promise<void> {
  const { answers } = start(calls);
  for (const [name, { status, body }] of Object.entries(await answers)) {
    const earlier = first[name];
    expect([name, status]).toEqual([name, 200]);
    if (earlier?.status === 200) expect(body).toEqual(earlier.body);
    else expect([name, earlier?.status, earlier?.body.data?.effect]).toEqual([name, 503, 'none']);
  }
}

async function expectLedgerToAgree(): Promise<void> {
  const { pool } = platform.services;
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await expectCountersToBeTrue(pool);
}

test('a lock on any row of a merchant that its calls refer to holds up no call of another merchant', async () => {
  const { rows } = await asOwner<{ id: string }>(platform, 'SELECT pg_current_xact_id()::text AS id');
  for (const call of Object.values(await callsOf(held))) expect((await call()).status).toBe(200);
  const referred = await tablesOf(platform, rows[0]?.id ?? '');
  const others = (await tablesOf(platform, null)).filter(({ name }) => read.includes(name));
  const waitedFor: string[] = [];
  for (const { name, columns } of [...referred, ...others]) {
    const condition = rowsOfPartner(name, columns);
    if (condition === null) throw new Error(`The test does not know whose the rows of ${name} are.`);
    const own = await watch.query(`SELECT FROM ${name} WHERE ${condition} LIMIT 1`, [held.partner.id]);
    if (own.rowCount === 0) continue;
    const [calls, neighbors] = await Promise.all([callsOf(held), callsOf(neighbor)]);
    const unlock = await lockRows(`SELECT FROM ${name} WHERE ${condition} FOR UPDATE`, [held.partner.id]);
    const { answers, answered } = start(calls);
    if (await untilWaitingOrAnswered(answered, Object.keys(calls).length)) waitedFor.push(name);
    await expectAllOk(neighbor, neighbors);
    await unlock();
    await expectDoneOnce(calls, await answers);
  }
  expect(waitedFor).toEqual(expect.arrayContaining(waitsFor));
  await expectLedgerToAgree();
});

test('many calls of a merchant whose account and store are locked are 503 with effect none, and take no connection of a neighbor', async () => {
  const { paymentInstrumentId, account } = held;
  const body = { paymentInstrumentId, amount: 700, currency: 'USD' };
  const many = (count: number, name: string, call: () => KeyedCall) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name} ${at}`, call()]));
  const crowd = {
    ...many(30, 'charge', () => keyedCall(account, '/payments/process', body)),
    ...many(40, 'customer', () => customerCall(account)),
  };
  const neighbors = await callsOf(neighbor);
  const before = await countsOf(held);
  const unlock = await lockRows(
    `SELECT FROM processing_accounts a JOIN stores s ON s."platformAccountId" = a.id WHERE a.id = $1 FOR UPDATE`,
    [account.id],
  );
  const { answers, answered } = start(crowd);
  expect(await untilWaitingOrAnswered(answered, Object.keys(crowd).length)).toBe(true);
  await expectAllOk(neighbor, neighbors);
  expect(answered).toEqual(new Set());
  const refused = Object.entries(await answers).map(([name, { status, body: answer }]) => [
    name,
    status,
    answer.data?.effect,
  ]);
  expect(refused).toEqual(Object.keys(crowd).map((name) => [name, 503, 'none']));
  await unlock();
  await expectDoneOnce(crowd, await answers);
  const after = await countsOf(held);
  expect([after.payments - before.payments, after.customers - before.customers]).toEqual([30, 40]);
  await expectLedgerToAgree();
});

async function countsOf({ account: { id: platformAccountId } }: Merchant) {
  const { payment, customer } = platform.services.prisma;
  return {
    payments: await payment.count({ where: { platformAccountId } }),
    customers: await customer.count({ where: { platformAccountId } }),
  };
}
