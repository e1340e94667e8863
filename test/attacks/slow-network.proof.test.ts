import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { clientTimeouts } from '../../src/runtime/http-server.ts';
import { clientOf } from '../support/client.ts';
import { startTestPlatform, type TestPlatform, usePlatform } from '../support/platform.ts';
import { httpHead, type RawConnection, rawConnection } from '../support/raw-connection.ts';
import { seedPartner } from '../support/seed.ts';

const opened: RawConnection[] = [];
/** Each has a limit of its own. */
let sessions = 0;

// Two connections are two hundred places.
const platform = await usePlatform({ env: { DATABASE_POOL_SIZE: '2' } });
const account = await (await seedPartner(platform)).account();
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

async function open(server: { url: string } = platform, from?: string): Promise<RawConnection> {
  const connection = await rawConnection(server, from);
  opened.push(connection);
  return connection;
}

/** The endpoints of every surface that read a body, with a credential where the body is not read without one. */
const surfaces = (): [path: string, headers: Record<string, string>][] => {
  const key = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return [
    ['/api/public/v1/customers/create', key],
    ['/api/public/v1/plugins/v2/deploy', key],
    ['/graphql', key],
    ['/graphql', { 'Content-Type': 'application/json' }],
    ['/hooks/processors/stripe?processor=proc_1', {}],
    ['/hooks/identity-provider', {}],
    [`/checkout/sessions/session-${++sessions}/pay`, {}],
    ['/idp/sign-in/email', {}],
    ['/idp/accept', {}],
    ['/test/3ds/session', form],
    ['/test/connect/authorize', form],
  ];
};

/** A request whose head has been received, and whose body lacks all but its first byte. */
async function halfSent(server: TestPlatform, path: string, headers: Record<string, string>): Promise<RawConnection> {
  const connection = await open(server);
  // The answer to `Expect` shows that the head was received.
  connection.socket.write(httpHead('POST', path, { ...headers, 'Content-Length': 40, Expect: '100-continue' }));
  await expect.poll(connection.received).toContain('100 Continue');
  connection.socket.write('{');
  return connection;
}

const places = () => [platform.services.admissionControl.inWork, platform.services.admissionControl.waiting];

test('a sender that hangs up in its head or its body leaves no warning and no error in the log, on any surface', async () => {
  platform.logged.length = 0;
  const cut = async (connection: RawConnection) => {
    connection.socket.resetAndDestroy();
    await connection.closed;
  };
  for (const [path, headers] of surfaces()) await cut(await halfSent(platform, path, headers));
  const connection = await open();
  connection.socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Le');
  await cut(connection);
  await expect
    .poll(() => platform.logged.filter((line) => line.includes('"status":499')).length)
    .toBe(surfaces().length);
  expect(platform.logged.filter((line) => /"level":"(?:warn|error|fatal)"|"stack"/.test(line))).toEqual([]);
});

test('200 for an honest call beside more half-sent bodies than there are places, on every surface', async () => {
  const each = Math.ceil(220 / surfaces().length);
  for (let count = 0; count < each; count++)
    await Promise.all(surfaces().map(([path, headers]) => halfSent(platform, path, headers)));
  await expect.poll(places).toEqual([0, 0]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.api.call('/auth/test')));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
});

test('200 for a sender that is slow and completes its body', async () => {
  const body = JSON.stringify({ email: 'slow@example.com' });
  const { socket, received } = await open();
  const head = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' };
  socket.write(httpHead('POST', '/api/public/v1/customers/create', { ...head, 'Content-Length': body.length }));
  for (const byte of body.slice(0, -1)) socket.write(byte);
  expect((await account.api.call('/auth/test')).status).toBe(200);
  socket.write(body.slice(-1));
  await expect.poll(received).toContain('"email":"slow@example.com"');
  expect(received()).toContain('HTTP/1.1 200');
});

/** Asks for more than the buffers of the network take, and reads nothing of it. */
async function unread(server: TestPlatform): Promise<RawConnection> {
  const connection = await open(server);
  connection.socket.pause();
  // Without a credential a request below /api takes no place.
  connection.socket.write(httpHead('GET', '/api/public/v1/openapi.json', { Authorization: 'Bearer any' }).repeat(40));
  return connection;
}

test('200 for an honest call beside readers that stop: an answer that is not read holds no place', async () => {
  await Promise.all(Array.from({ length: 20 }, () => unread(platform)));
  await expect.poll(() => served('/api/public/v1/openapi.json')).toBeGreaterThanOrEqual(20);
  await expect.poll(places).toEqual([0, 0]);
  expect((await account.api.call('/auth/test')).status).toBe(200);
});

function served(route: string, status?: number, logged = platform.logged): number {
  const ofRoute = logged.filter((line) => line.includes(`"route":"${route}"`));
  return ofRoute.filter((line) => status === undefined || line.includes(`"status":${status}`)).length;
}

test('200 for every honest call beside 1,200 idle connections of the same address', async () => {
  let closed = 0;
  for (let group = 0; group < 12; group++) {
    const idle = await Promise.all(Array.from({ length: 100 }, () => open()));
    for (const connection of idle) void connection.closed.then(() => (closed += 1));
    expect((await account.api.call('/auth/test')).status).toBe(200);
  }
  // The limit of an address is 1,000.
  await expect.poll(() => closed).toBeGreaterThanOrEqual(200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.api.call('/auth/test')));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
});

/** The last answer of a connection. Its head must have a Request-Id, and its body the fields of an error. */
function problemIn(received: string): object {
  const [head = '', body = ''] = received
    .slice([...received.matchAll(/HTTP\/1\.1 \d{3} /g)].at(-1)?.index)
    .split('\r\n\r\n');
  expect(head).toMatch(/^Request-Id: req_\w{8,}\r?$/m);
  expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8\r?$/m);
  const { message, ...problem } = JSON.parse(body);
  expect(message).toEqual(expect.any(String));
  return { status: Number(head.slice(9, 12)), ...problem };
}

test.each([
  ['no request', 'what is this\r\n\r\n', 400, 'INPUT_PARSE_ERROR'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'INPUT_PARSE_ERROR',
  ],
  ['a head of 32 KiB', `GET / HTTP/1.1\r\nHost: x\r\nLong: ${'x'.repeat(32_768)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
])('%s is answered in JSON with a Request-Id, and the connection is closed', async (_what, text, status, code) => {
  const { socket, received, closed } = await open();
  socket.write(text);
  await closed;
  expect(problemIn(received())).toMatchObject({ status, code, data: expect.any(Object) });
});

test('a client has 10 s for the head, 20 s for the whole request, and 60 s for the answer', () => {
  expect(clientTimeouts).toMatchObject({ headMs: 10_000, requestMs: 20_000, answerMs: 60_000 });
});

test.each([
  [16_000, '404'],
  [17_000, '431'],
])('headers of %d bytes: %s', async (bytes, status) => {
  const { socket, received } = await open();
  const head = (padding: number) => httpHead('GET', '/nowhere', { Long: 'x'.repeat(padding) });
  socket.write(head(bytes - head(0).length));
  await expect.poll(received).toContain(`HTTP/1.1 ${status} `);
});

test('with CONNECTIONS_MAX=10 the eleventh connection, of any address, is answered and the oldest is closed', async () => {
  const env = { CONNECTIONS_MAX: '10' };
  const small = await startTestPlatform({ databaseUrl: platform.databaseUrl, env });
  try {
    const idle: RawConnection[] = [];
    for (let n = 0; n < 10; n++) idle.push(await open(small, `127.0.0.${n + 1}`));
    const last = await open(small, '127.0.0.11');
    last.socket.write(httpHead('GET', '/health/live', { Connection: 'close' }));
    await last.closed;
    expect(last.received()).toContain('HTTP/1.1 200');
    await idle[0]?.closed;
    expect(idle.map(({ socket }) => socket.destroyed)).toEqual([true, ...Array(9).fill(false)]);
    for (const { socket } of idle) socket.destroy();
  } finally {
    await small.close();
  }
});

describe('with short timeouts', () => {
  let hasty: TestPlatform;

  beforeAll(async () => {
    // Long enough for an honest request on a slow machine.
    const clientTimeouts = { headMs: 3_000, requestMs: 3_000, answerMs: 500, checkEveryMs: 50 };
    hasty = await startTestPlatform({ databaseUrl: platform.databaseUrl, clientTimeouts });
  });
  afterAll(() => hasty?.close());

  test('408 and a closed connection for a client that sends nothing, a head that does not end, and a body that does not end, on every surface', async () => {
    const halves = await Promise.all(surfaces().map(([path, headers]) => halfSent(hasty, path, headers)));
    const [head, silent, long] = [await open(hasty), await open(hasty), await open(hasty)];
    head.socket.write('POST /api/public/v1/customers/create HTTP/1.1\r\nHost: localhost\r\n');
    long.socket.write(httpHead('POST', '/graphql', { 'Content-Length': 100_000 }) + ' '.repeat(50_000));
    await Promise.all([head, silent, long, ...halves].map(({ closed }) => closed));
    for (const { received } of [head, silent]) expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    for (const { received } of [head, silent, long])
      expect(problemIn(received())).toEqual({ status: 408, code: 'REQUEST_TIMEOUT', data: {} });
    const statuses = halves.map(({ received }) => /HTTP\/1\.1 ([2-5]\d\d)/.exec(received())?.[1]);
    expect(statuses).toEqual(halves.map(() => '408'));
    expect(hasty.services.bodyMemory.bytes).toBe(0);
  });

  test('a reader that stops is cut', async () => {
    const { socket, received, closed } = await unread(hasty);
    await expect.poll(() => served('/api/public/v1/openapi.json', 499, hasty.logged)).toBeGreaterThan(0);
    socket.resume();
    await closed;
    expect(received().split('HTTP/1.1 200').length - 1).toBeLessThan(40);
  });

  test('200 for a charge that takes longer than every timeout of a client', async () => {
    const { id } = await account.instrument();
    const holder = await platform.services.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
      const charge = clientOf(hasty, account.subKey).call('/payments/process', {
        paymentInstrumentId: id,
        amount: 500,
        currency: 'USD',
      });
      charge.catch(() => {});
      await expect.poll(() => hasty.services.admissionControl.inWork).toBe(1);
      // This connection is cut after the charge began: then each timeout has passed.
      await (await open(hasty)).closed;
      await holder.query('COMMIT');
      expect(await charge).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});

describe('with three connections an address', () => {
  const perAddress = { DATABASE_POOL_SIZE: '2', CONNECTIONS_PER_ADDRESS: '3' };

  /** Three connections of one address, each with a call that waits for the database. */
  async function withThreeBusy(
    env: Record<string, string>,
    check: (server: TestPlatform) => Promise<void>,
    later?: (server: TestPlatform) => Promise<void>,
  ) {
    const server = await startTestPlatform({ databaseUrl: platform.databaseUrl, env: { ...perAddress, ...env } });
    const { pool, admissionControl } = server.services;
    const held = await Promise.all([pool.connect(), pool.connect()]);
    try {
      const busy = await Promise.all([open(server), open(server), open(server)]);
      for (const { socket } of busy)
        socket.write(httpHead('GET', '/api/public/v1/auth/test', { Authorization: `Bearer ${account.subKey}` }));
      await expect.poll(() => admissionControl.inWork).toBe(3);
      await check(server);
      for (const connection of held.splice(0)) connection.release();
      for (const { received } of busy) await expect.poll(received).toContain('HTTP/1.1 200');
      for (const { socket, closed } of busy) {
        socket.destroy();
        await closed;
      }
      await later?.(server);
    } finally {
      for (const connection of held) connection.release();
      await server.close();
    }
  }

  async function healthOf(server: TestPlatform, from: string): Promise<string> {
    const { socket, received, closed } = await open(server, from);
    socket.write(httpHead('GET', '/health/live', { Connection: 'close' }));
    await closed;
    return received().slice(0, 12);
  }

  test('a fourth is closed while calls run on the others, which are answered 200; another address is served; without calls it takes the place of the oldest', async () => {
    await withThreeBusy(
      {},
      async (server) => {
        expect(await healthOf(server, '127.0.0.1')).toBe('');
        expect(await healthOf(server, '127.0.0.2')).toBe('HTTP/1.1 200');
      },
      async (server) => {
        const [oldest, ...others] = [await open(server), await open(server), await open(server)];
        expect(await healthOf(server, '127.0.0.1')).toBe('HTTP/1.1 200');
        await oldest?.closed;
        expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
        // Otherwise the server waits for their requests when it stops.
        for (const { socket } of others) socket.destroy();
      },
    );
  });

  test.each([
    ['1', '127.0.0.1', 'HTTP/1.1 200'],
    ['127.0.0.1', '127.0.0.1', 'HTTP/1.1 200'],
    ['127.0.0.9', '127.0.0.1', ''],
  ])('with TRUST_PROXY=%s a fourth of %s is answered "%s"', async (TRUST_PROXY, from, answer) => {
    await withThreeBusy({ TRUST_PROXY }, async (server) => expect(await healthOf(server, from)).toBe(answer));
  });
});
