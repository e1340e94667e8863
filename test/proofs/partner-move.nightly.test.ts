// guards: src/cli/partner-move.ts src/database/move src/people/moves prisma/schema prisma/migrations docs/self-hosting/cells.md
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullName, notOfPartners, notPut, partnerTables } from '../../src/database/move/partner-tables.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { verifyAudit } from '../../src/people/audit/verify-audit.ts';
import { type CellPair, type MoveProcess, startCellPair } from '../support/cell-pair.ts';
import { type Client, clientOf } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import { runExampleStory, storyBegins } from '../support/example-story.ts';
import type { TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

const clock = manualClock(storyBegins);
/** Each run of the command loads the platform; ends a test that hangs, and asserts nothing. */
const timeout = 600_000;
let cells: CellPair;
let first: TestPlatform;
let second: TestPlatform;

beforeAll(async () => {
  cells = await startCellPair({ clock });
  ({ first, second } = cells);
});
afterAll(() => cells?.close());

interface Shop {
  partner: SeededPartner;
  account: SeededAccount;
  card: string;
  paymentId: string;
}

async function openShop(): Promise<Shop> {
  const partner = await seedPartner(first);
  const account = await partner.account();
  const { id: card } = await account.instrument('4242424242424242');
  const { payment } = await charge(account.api, account.storeId, card);
  await account.api.ok('/payments/refund', { paymentId: payment.id, amount: 100 });
  await account.api.ok('/webhooks', { url: 'https://shop.example.com/hook', eventTypes: ['payment/succeeded'] });
  return { partner, account, card, paymentId: payment.id };
}

function charge(api: Client, storeId: string, paymentInstrumentId: string, idempotencyKey?: string): Promise<any> {
  const body = { storeId, paymentInstrumentId, amount: 2500, currency: 'USD' };
  return api.ok('/payments/process', body, idempotencyKey ? { headers: { 'Idempotency-Key': idempotencyKey } } : {});
}

const statusIn = async (platform: TestPlatform, key: string): Promise<number> =>
  (await clientOf(platform, key).call('/auth/test')).status;

/** The partner charges, refunds what it had charged before, and its ledger agrees; the other cell refuses its key. */
async function expectInService({ partner, account, card, paymentId }: Shop, where: TestPlatform): Promise<void> {
  const api = clientOf(where, account.subKey);
  await charge(api, account.storeId, card);
  await api.ok('/payments/refund', { paymentId, amount: 1 });
  expect(await statusIn(where, partner.partnerKey)).toBe(200);
  expect(await statusIn(where === first ? second : first, partner.partnerKey)).toBe(where === first ? 401 : 421);
}

async function expectBothToAgree(): Promise<void> {
  for (const { services } of [first, second]) {
    expect((await verifyLedger(services)).differences).toEqual([]);
    expect(await verifyAudit(services.pool, services.auditKeys)).toMatchObject({ ok: true });
  }
}

test('every table is one of partners, or is named as not of a partner with a reason', async () => {
  const tables = (await partnerTables(first.services.pool)).map(fullName);
  expect(tables).toEqual(expect.arrayContaining(['public.payments', 'vault.cards', 'public.webhook_attempts']));
  expect(Object.keys(notPut).filter((name) => !tables.includes(name))).toEqual([]);
  const { rows } = await first.services.pool.query(`SELECT schemaname || '.' || tablename AS name FROM pg_tables`);
  const known = rows.map(({ name }) => name);
  expect([...tables, ...Object.keys(notOfPartners)].filter((name) => !known.includes(name))).toEqual([]);

  await asOwner(first, 'CREATE TABLE public.newcomers (id text)');
  try {
    await expect(partnerTables(first.services.pool)).rejects.toThrow('which rows of public.newcomers are of a partner');
  } finally {
    await asOwner(first, 'DROP TABLE public.newcomers');
  }
});

test('a partner arrives with every row, and charges, refunds and replays with its keys', { timeout }, async () => {
  const partner = await seedPartner(first);
  await runExampleStory({ url: first.url, api: partner.api, clock });
  const account = await partner.account();
  const { id: card } = await account.instrument('4242424242424242');
  const { payment } = await charge(account.api, account.storeId, card, 'once');
  const seen = async (api: Client) => [
    (await api.graphql('{ payments(pageSize: 100) { total items { id status amount refundedAmount } } }')).data,
    await api.ok('/events/list', { pageSize: 100 }),
    await api.ok('/customers/list', { pageSize: 100 }),
    await api.ok('/orders/list', { pageSize: 100 }),
    await api.ok('/subscriptions/list', { pageSize: 100 }),
    await api.ok('/webhooks/list', { pageSize: 100 }),
  ];
  const before = await seen(partner.api);

  const { code, stdout, stderr } = await cells.move([partner.slug]).ended;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/stopped: .*set aside: .*copied: .*arrived: .*moved: /s)]);
  expect(stdout).toContain(`${account.subKey.slice(0, -38)} b\n`);
  expect(stdout).toContain(`${partner.partnerKey.slice(0, -38)} b\n`);

  const here = clientOf(second, partner.partnerKey);
  expect(await seen(here)).toEqual(before);
  const tables = await partnerTables(second.services.pool);
  for (const { schema, name, columns } of tables.filter(({ columns }) => columns.includes('partnerId'))) {
    const [left] = (await asOwner(first, `SELECT count(*) AS n FROM "moved_${partner.id}"."${schema}.${name}"`)).rows;
    const arrived = await asOwner(second, `SELECT count(*) AS n FROM "${schema}"."${name}" WHERE "partnerId" = $1`, [
      partner.id,
    ]);
    const stays = await asOwner(first, `SELECT 1 FROM "${schema}"."${name}" WHERE "partnerId" = $1`, [partner.id]);
    expect([name, columns.length > 0, stays.rowCount]).toEqual([name, true, 0]);
    if (!(`${schema}.${name}` in notPut)) expect([name, arrived.rows[0]]).toEqual([name, left]);
  }

  const api = clientOf(second, account.subKey);
  const again = await charge(api, account.storeId, card, 'once');
  expect(again.payment.id).toBe(payment.id);
  await expectInService({ partner, account, card, paymentId: payment.id }, second);
  const refused = await clientOf(first, account.subKey).call('/payments/process', {});
  expect([refused.status, refused.body]).toEqual([
    421,
    {
      code: 'MISDIRECTED_REQUEST',
      message: 'The partner has moved to the cell "b": check the address of the request.',
      data: expect.anything(),
    },
  ]);
  const audit = await second.services.prisma.auditRow.findFirstOrThrow({ where: { action: 'movePartner' } });
  expect(audit).toMatchObject({ target: partner.id, after: { slug: partner.slug, fromCell: '' } });
  await expectBothToAgree();
});

async function killAfter(step: string, slug: string): Promise<void> {
  const moving = cells.move([slug]);
  const isOver = () => moving.said().includes(`${step}:`) || moving.process.exitCode !== null;
  await expect.poll(isOver, { timeout: 200_000, interval: 5 }).toBe(true);
  expect(moving.said()).toContain(`${step}:`);
  moving.process.kill('SIGKILL');
  await moving.ended;
}

/** Runs statements in a transaction of one cell, whose locks hold a step of the command. */
async function lockIn(platform: TestPlatform, statement: string) {
  const client = new pg.Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement);
  const isWaitedFor = `SELECT FROM pg_stat_activity WHERE application_name = 'platform-move'
    AND wait_event_type = 'Lock' AND wait_event <> 'advisory' AND datname = current_database()`;
  return {
    async waited() {
      // A transaction sees the activity of its first look, without this.
      const look = async () => {
        await client.query('SELECT pg_stat_clear_snapshot()');
        return (await client.query(isWaitedFor)).rowCount;
      };
      await expect.poll(look, { timeout: 200_000 }).toBe(1);
    },
    release: () => client.end(),
  };
}

async function killWhileLocked(lock: Awaited<ReturnType<typeof lockIn>>, moving: MoveProcess): Promise<void> {
  try {
    await lock.waited();
  } finally {
    moving.process.kill('SIGKILL');
    await moving.ended;
    await lock.release();
  }
}

/** The transaction of a step has begun, and is not committed. */
const killWithin = {
  'set aside': async ({ slug }: SeededPartner) =>
    killWhileLocked(await lockIn(first, 'LOCK TABLE webhook_endpoints IN SHARE MODE'), cells.move([slug])),
  copied: async ({ slug }: SeededPartner) =>
    killWhileLocked(await lockIn(second, 'LOCK TABLE payments'), cells.move([slug])),
  arrived: async ({ slug }: SeededPartner) =>
    killWhileLocked(await lockIn(second, 'LOCK TABLE payments IN SHARE MODE'), cells.move([slug])),
  moved: async ({ id, slug }: SeededPartner) => {
    const arriving = await lockIn(second, 'LOCK TABLE payments IN SHARE MODE');
    const moving = cells.move([slug]);
    await arriving.waited();
    const lock = await lockIn(first, `SELECT FROM cells.moves WHERE "partnerId" = '${id}' FOR UPDATE`);
    await arriving.release();
    await killWhileLocked(lock, moving);
  },
};

/** At whatever moment after a step was reported the kill arrives. */
test.each(['stopped', 'set aside', 'copied', 'arrived', 'moved'])('kill -9 after %s: the next run finishes the move', {
  timeout,
}, async (step) => {
  const shop = await openShop();
  await killAfter(step, shop.partner.slug);
  await expectToFinish(shop);
});

describe.each(Object.entries(killWithin))('kill -9 within %s', (step, kill) => {
  test('the next run finishes the move', { timeout }, async () => {
    const shop = await openShop();
    await kill(shop.partner);
    await expectToFinish(shop);
  });

  const hasArrived = step === 'moved';
  test(`--abandon ${hasArrived ? 'is refused' : 'puts the partner back where it was'}`, { timeout }, async () => {
    const shop = await openShop();
    await kill(shop.partner);
    const { code, stderr } = await cells.move([shop.partner.slug, '--abandon']).ended;
    if (hasArrived) {
      expect([code, stderr]).toEqual([1, expect.stringContaining('has arrived here and is in service')]);
      await expectToFinish(shop);
    } else {
      expect([code, stderr]).toEqual([0, expect.stringContaining('abandoned: ')]);
      await expectInService(shop, first);
      await expectBothToAgree();
    }
  });
});

async function expectToFinish(shop: Shop): Promise<void> {
  expect(await statusIn(first, shop.partner.partnerKey)).toBeOneOf([421, 503]);
  const { code, stderr } = await cells.move([shop.partner.slug]).ended;
  expect([code, stderr]).toEqual([0, expect.anything()]);
  await expectInService(shop, second);
  await expectBothToAgree();
}

test.each([
  ['--abandon again', ['--abandon'], () => first],
  ['a run without --abandon', [], () => second],
] as const)('kill -9 within --abandon: %s ends it', { timeout }, async (_how, args, where) => {
  const shop = await openShop();
  const { slug } = shop.partner;
  await killWithin.copied(shop.partner);
  const lock = await lockIn(first, 'LOCK TABLE payments IN SHARE MODE');
  await killWhileLocked(lock, cells.move([slug, '--abandon']));
  expect(await statusIn(first, shop.partner.partnerKey)).toBe(503);
  const { code, stderr } = await cells.move([slug, ...args]).ended;
  expect([code, stderr]).toEqual([0, expect.anything()]);
  await expectInService(shop, where());
  await expectBothToAgree();
});
