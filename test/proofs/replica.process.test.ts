// guards: src/database src/lists src/graph/linked-rows.ts src/operating src/operators/exports src/call
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { makePerson, type SignedIn, signedIn, signIn } from '../iam/people.ts';
import { asOwner, emptyDatabase } from '../support/database.ts';
import { type DatabasePair, startDatabasePair } from '../support/database-pair.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../support/database-switch.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

const parent = mkdtempSync(join(tmpdir(), 'platform-replica-'));
let pair: DatabasePair;
let standby: pg.Client;
/** Between the platforms and the standby. */
let line: DatabaseSwitch;
/** May be a minute behind, and a third of a second. */
let lenient: TestPlatform;
let strict: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
const operators = new Map<TestPlatform, SignedIn>();

beforeAll(async () => {
  pair = await startDatabasePair(parent);
  await pair.waitForStandby(false);
  standby = new pg.Client({ connectionString: pair.standbyUrl });
  await standby.connect();
  await makeServerRole();
  line = await openDatabaseSwitch(pair.standbyUrl);
  lenient = await startWithReplica({ DATABASE_REPLICA_MAX_LAG_MS: '60000' });
  strict = await startWithReplica({ DATABASE_REPLICA_MAX_LAG_MS: '300' });
  partner = await seedPartner(lenient);
  account = await partner.account();
  const person = await makePerson(lenient, { platformRoles: ['hubadmin'] });
  for (const platform of [lenient, strict]) operators.set(platform, await signIn(platform, person));
});
afterEach(async () => {
  await standby.query('SELECT pg_wal_replay_resume()');
  line.restore(pair.standbyUrl);
});
afterAll(async () => {
  await lenient?.close();
  await strict?.close();
  await standby?.end();
  await line?.close();
  await pair?.stop();
  rmSync(parent, { recursive: true, force: true });
});

function startWithReplica(env: Record<string, string>, replicaUrl = line.url): Promise<TestPlatform> {
  return startTestPlatform({
    databaseUrl: pair.url,
    env: { DATABASE_REPLICA_URL: asServerRole(replicaUrl), ...env },
  });
}

/** The first start makes the server's role, with which a server can use the standby once it is replayed there. */
async function makeServerRole(): Promise<void> {
  await (await startTestPlatform({ databaseUrl: pair.url })).close();
  const { rows } = await asOwner<{ position: string }>(
    { databaseUrl: pair.url },
    'SELECT pg_current_wal_lsn() AS position',
  );
  const replayed = 'SELECT pg_last_wal_replay_lsn() >= $1 AS done';
  const isReplayed = async () => (await standby.query(replayed, [rows[0]?.position])).rows[0].done;
  await vi.waitUntil(isReplayed, { timeout: 60_000 });
}

const totalOf = `query ($slug: Slug) { payments(mode: test, partnerSlug: $slug) { total } }`;

/** Resolves when the standby replays no more: the statement only asks for it. */
async function pauseReplay(): Promise<void> {
  await standby.query('SELECT pg_wal_replay_pause()');
  await expect
    .poll(async () => (await standby.query('SELECT pg_get_wal_replay_pause_state() AS state')).rows)
    .toEqual([{ state: 'paused' }]);
}

/** The number of payments that a person sees. */
async function seenBy(person: SignedIn, headers: Record<string, string> = {}): Promise<number> {
  return (await person.graphql(totalOf, { slug: partner.slug }, headers)).data.payments.total;
}

const today = (): string => new Date().toISOString().slice(0, 10);
const firstDay = today();

/** The same in the figures of the days of this test. */
async function figuresSeenBy(person: SignedIn): Promise<number> {
  const { data } = await person.graphql(
    `query ($slug: Slug, $from: Date!, $to: Date!) {
      figures(mode: test, partnerSlug: $slug, from: $from, to: $to, by: currency) { payments }
    }`,
    { slug: partner.slug, from: firstDay, to: today() },
  );
  return data.figures[0]?.payments ?? 0;
}

/** The rows of the payments' export, counted in its file. */
async function exportedBy(person: SignedIn, headers: Record<string, string> = {}): Promise<number> {
  const query =
    'mutation ($slug: Slug) { createExport(list: { payments: {} }, mode: test, partnerSlug: $slug) { url } }';
  const { data } = await person.graphql(query, { slug: partner.slug }, headers);
  const response = await fetch(data.createExport.url, { headers: { Cookie: person.cookie } });
  return (await response.text()).match(/^pay_/gm)?.length ?? 0;
}

function operatorAt(platform: TestPlatform): SignedIn {
  const operator = operators.get(platform);
  if (!operator) throw new Error('No user is signed in there.');
  return operator;
}

async function readsOf({ services }: TestPlatform, server: 'replica' | 'primary'): Promise<number> {
  const text = await services.metrics.text();
  return Number(new RegExp(`platform_replica_reads_total{server="${server}"} (\\d+)`).exec(text)?.[1] ?? 0);
}

/** Resolves when internal staff see every payment, and see it on the replica. */
async function usesReplica(platform: TestPlatform): Promise<void> {
  const { total } = await partner.api.ok('/payments', {});
  await expect
    .poll(async () => {
      const before = await readsOf(platform, 'replica');
      return [await seenBy(operatorAt(platform)), (await readsOf(platform, 'replica')) - before];
    })
    .toEqual([total, 1]);
}

describe('while the standby does not replay', () => {
  test('internal staff read it within the bound; keys and the people of a partner read the primary', async () => {
    await usesReplica(lenient);
    const before = await seenBy(operatorAt(lenient));
    const staff = await signedIn(lenient, { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
    await pauseReplay();
    await account.charge();
    expect(await seenBy(operatorAt(lenient))).toBe(before);
    expect(await figuresSeenBy(operatorAt(lenient))).toBe(before);
    expect(await seenBy(staff)).toBe(before + 1);
    expect(await figuresSeenBy(staff)).toBe(before + 1);
    expect(await account.api.ok('/payments', {})).toMatchObject({ total: before + 1 });
  });

  test('an export of internal staff is read from it, and that of a browser that has just changed something is not', async () => {
    await usesReplica(lenient);
    const before = await seenBy(operatorAt(lenient));
    await pauseReplay();
    await account.charge();
    expect(await exportedBy(operatorAt(lenient))).toBe(before);
    const Cookie = `${operatorAt(lenient).cookie}; platform_wrote=1`;
    expect(await exportedBy(operatorAt(lenient), { Cookie })).toBe(before + 1);
  });

  test('a browser that has just changed something reads the primary', async () => {
    await usesReplica(lenient);
    const before = await seenBy(operatorAt(lenient));
    await pauseReplay();
    const { payment } = await account.charge();
    const { headers } = await fetch(`${lenient.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: operatorAt(lenient).cookie, Origin: lenient.url },
      body: JSON.stringify({
        query: 'mutation ($id: ID!) { refundPayment(input: { paymentId: $id }, reason: "twice") { __typename } }',
        variables: { id: payment['id'] },
      }),
    });
    const [cookie] = headers.getSetCookie();
    expect(cookie).toMatch(/^platform_wrote=1; Max-Age=60; Path=\/; .*HttpOnly; SameSite=Strict/);
    expect(await seenBy(operatorAt(lenient))).toBe(before);
    const Cookie = `${operatorAt(lenient).cookie}; platform_wrote=1`;
    expect(await seenBy(operatorAt(lenient), { Cookie })).toBe(before + 1);
  });

  test('internal staff read the primary once it is further behind than the bound, and it again later', async () => {
    await usesReplica(strict);
    const before = await seenBy(operatorAt(strict));
    await pauseReplay();
    strict.logged.length = 0;
    await account.charge();
    await expect.poll(() => seenBy(operatorAt(strict))).toBe(before + 1);
    await expect.poll(() => strict.logged.join('')).toContain('The replica is behind or unavailable');
    await standby.query('SELECT pg_wal_replay_resume()');
    await usesReplica(strict);
  });
});

test('a read that the standby cancels is done on the primary, and the next one on the standby', async () => {
  await usesReplica(lenient);
  const before = { replica: await readsOf(lenient, 'replica'), primary: await readsOf(lenient, 'primary') };
  const { replica, pool } = lenient.services;
  const canceled = `DO $$ BEGIN
    IF pg_is_in_recovery() THEN RAISE EXCEPTION 'canceled due to conflict with recovery' USING ERRCODE = '40001'; END IF;
  END $$`;
  await replica?.read(pool, (server) => server.query(canceled));
  await seenBy(operatorAt(lenient));
  expect(await readsOf(lenient, 'primary')).toBe(before.primary + 1);
  expect(await readsOf(lenient, 'replica')).toBe(before.replica + 1);
});

test('200 from the primary at once when the standby is gone, and from the standby when it is back', async () => {
  await usesReplica(lenient);
  line.cut();
  const fromPrimary = await readsOf(lenient, 'primary');
  await account.charge();
  const { total } = await account.api.ok('/payments', {});
  expect(await seenBy(operatorAt(lenient))).toBe(total);
  expect(await readsOf(lenient, 'primary')).toBe(fromPrimary + 1);
  line.restore();
  await usesReplica(lenient);
});

test('a server that is no standby any more is not read', async () => {
  await usesReplica(strict);
  line.restore(pair.url);
  await expect
    .poll(async () => {
      const before = await readsOf(strict, 'primary');
      await seenBy(operatorAt(strict));
      return (await readsOf(strict, 'primary')) - before;
    })
    .toBe(1);
});

describe('a start', () => {
  test('is refused with one sentence for a wrong password, and for a standby of another server', async () => {
    const wrong = new URL(line.url);
    wrong.password = 'wrong';
    await expect(startWithReplica({}, wrong.href)).rejects.toThrow(
      /^The database of DATABASE_REPLICA_URL, .* the name or the password of the role is wrong\./,
    );
    const other = await emptyDatabase();
    line.restore(other);
    await expect(startWithReplica({}, line.url)).rejects.toThrow(
      /^The database of DATABASE_REPLICA_URL, .* it is no standby of the server of DATABASE_URL\./,
    );
  });

  test('succeeds while the standby cannot be reached, which is used once it can be', async () => {
    line.cut();
    const platform = await startWithReplica({});
    try {
      expect(platform.logged.join('')).toContain('The replica cannot be used yet');
      operators.set(platform, await signedIn(platform, { platformRoles: ['hubadmin'] }));
      line.restore();
      await usesReplica(platform);
    } finally {
      await platform.close();
    }
  });
});
