import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { asOwner, dropDatabase, freshDatabase } from '../../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../../support/database-switch.ts';
import { lockTable, untilWaiting } from '../../support/lock-waits.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

let database: string;
let line: DatabaseSwitch;
let platform: TestPlatform;
let account: SeededAccount;
let partnerKey: string;
let admin: SignedIn;

beforeAll(async () => {
  database = await freshDatabase();
  line = await openDatabaseSwitch(database);
  platform = await startTestPlatform({ databaseUrl: line.url });
  const partner = await seedPartner(platform);
  ({ partnerKey } = partner);
  account = await partner.account();
  admin = await signedIn(platform, { platformRoles: ['superadmin'] });
  await asOwner(
    { databaseUrl: database },
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'as asked' USING ERRCODE = upper(split_part(NEW.email, '@', 1));
    END $$;
    CREATE TRIGGER fails BEFORE INSERT ON customers
      FOR EACH ROW WHEN (NEW.email LIKE '%@fails.example') EXECUTE FUNCTION fail();`,
  );
});
afterAll(async () => {
  await platform?.close();
  await line?.close();
  await dropDatabase(database);
});

const nothingDone = 'Temporarily unavailable. No changes were made. Try again in 2 s.';
const perhapsDone =
  'Temporarily unavailable. The request may have succeeded. Retry with the same Idempotency-Key in 2 s.';

interface Call {
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

async function send({ path, body, headers = {} }: Call): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${platform.url}${path}`, {
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('503 with Retry-After on every surface while the database is away, 200 after it, and no other trace', async () => {
  const key = { Authorization: `Bearer ${account.subKey}` };
  const session = { Cookie: admin.cookie };
  const problem = { code: 'SERVICE_UNAVAILABLE', message: nothingDone };
  const data = { retryAfter: 2, effect: 'none' };
  const calls: [Call, unknown][] = [
    [
      { path: '/api/public/v1/auth/test', headers: key },
      { ...problem, data },
    ],
    [
      { path: '/api/public/v1/customers/create', headers: key, body: { email: 'a@example.com' } },
      { ...problem, data },
    ],
    [
      { path: '/api/public/v1/plugins/v2/deployments/list', headers: key, body: {} },
      { ...problem, issues: [{ message: nothingDone }] },
    ],
    [{ path: '/api/v1/iam/users/list', headers: session, body: {} }, problem],
    [
      { path: '/graphql', headers: key, body: { query: '{ authTest { ok } }' } },
      { errors: [{ message: nothingDone, extensions: { code: 'SERVICE_UNAVAILABLE', data } }] },
    ],
  ];
  const pages: Call[] = [
    { path: '/test/3ds/threeds_0000000000000000000000', headers: { Accept: 'text/html' } },
    { path: '/3ds/return/txn_0000000000000000000000', headers: { Accept: 'text/html' } },
    { path: '/join', headers: { Accept: 'text/html', ...session } },
  ];
  const hook = { path: '/hooks/processors/stripe?processor=proc_0000000000000000000000', body: {} };
  const signIn = { path: '/idp/sign-in/email', body: { email: admin.email, password: 'correct horse battery' } };
  const metric = async () =>
    /platform_dependency_errors_total (\d+)/.exec((await send({ path: '/metrics' })).text)?.[1];

  line.cut();
  try {
    for (const [call, body] of calls) {
      const { status, headers, text } = await send(call);
      expect([call.path, status, headers.get('Retry-After'), JSON.parse(text)]).toEqual([call.path, 503, '2', body]);
    }
    for (const page of pages) {
      const { status, headers, text } = await send(page);
      expect([page.path, status, headers.get('Retry-After')]).toEqual([page.path, 503, '2']);
      expect(text).toContain('<h1>Try again in a moment</h1>');
    }
    for (const call of [hook, signIn]) expect([call.path, (await send(call)).status]).toEqual([call.path, 503]);
    expect(JSON.parse((await send({ path: '/health/ready' })).text)).toEqual({
      status: 'unavailable',
      cause: 'database',
    });
    expect((await send({ path: '/health/live' })).status).toBe(200);
  } finally {
    line.restore();
  }
  expect(await metric()).toBe(String(calls.length + pages.length + 2));
  for (const [call] of calls) expect((await send(call)).status, call.path).toBe(200);
  expect((await send({ path: '/health/ready' })).status).toBe(200);
  expect(platform.logged.filter((log) => log.includes('"level":"error"'))).toEqual([]);
});

test('the alert DatabaseUnavailable fires while the database is away, and not before or after', async () => {
  const unavailable = async () =>
    /^platform_database_unavailable (\d)$/m.exec(await platform.services.metrics.text())?.[1];
  expect(await unavailable()).toBe('0');
  line.cut();
  expect(await unavailable()).toBe('1');
  line.restore();
  await expect.poll(unavailable).toBe('0');
});

test.each([
  '57P01',
  '57P03',
  '08006',
  '53100',
  '53300',
  '25006',
  '57014',
  '25P03',
  '40001',
  '40P01',
])('503 for the SQL state %s in the middle of a change: it may have been done', async (code) => {
  const body = { email: `${code.toLowerCase()}@fails.example` };
  const create = (headers: Record<string, string>) => account.api.call('/customers/create', body, { headers });
  const withKey = await create({ 'Idempotency-Key': `fails-${code}` });
  expect(withKey).toMatchObject({
    status: 503,
    body: { code: 'SERVICE_UNAVAILABLE', message: perhapsDone, data: { effect: 'unknown' } },
  });
  expect(withKey.headers.get('Retry-After')).toBe('2');
  expect((await create({})).body.message).toMatch(/Check before retrying\.$/);
  const graph = await send({
    path: '/graphql',
    headers: { Authorization: `Bearer ${account.subKey}`, 'Idempotency-Key': `fails-graph-${code}` },
    body: { query: `mutation { createCustomer(input: { email: "${body.email}" }) { id } }` },
  });
  expect([graph.headers.get('Retry-After'), JSON.parse(graph.text).errors[0]]).toMatchObject([
    '2',
    { message: perhapsDone, extensions: { code: 'SERVICE_UNAVAILABLE', data: { effect: 'unknown' } } },
  ]);
});

test('503 while a lock is not to be had: the server ends the wait, nothing was done, and then 200', async () => {
  const unlock = await lockTable(platform, 'limits.buckets');
  const check = send({ path: '/api/public/v1/auth/test', headers: { Authorization: `Bearer ${account.subKey}` } });
  try {
    await untilWaiting(platform);
    await asOwner(
      { databaseUrl: database },
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    const { status, text } = await check;
    expect([status, JSON.parse(text)]).toMatchObject([503, { message: nothingDone, data: { effect: 'none' } }]);
  } finally {
    await unlock();
  }
  expect((await account.api.call('/auth/test')).status).toBe(200);
});

test('500 for another SQL state, which is a fault', async () => {
  const { status, body } = await account.api.call('/customers/create', { email: '22012@fails.example' });
  expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
});

test('a connection whose server takes no writes any more leaves the pool', async () => {
  const left = new Promise<unknown>((resolve) => platform.services.pool.once('remove', resolve));
  expect((await account.api.call('/customers/create', { email: '25006@fails.example' })).status).toBe(503);
  await left;
});

test('401, and not 503, for a key that is unknown', async () => {
  expect(
    (await send({ path: '/api/public/v1/auth/test', headers: { Authorization: `Bearer ${partnerKey}0` } })).status,
  ).toBe(401);
});
