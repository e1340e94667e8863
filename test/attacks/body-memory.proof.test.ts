import { afterEach, describe, expect, test } from 'vitest';
import { addressBytesMax, processBytesMax, smallBodyBytes } from '../../src/limits/body-memory.ts';
import { usePlatform } from '../support/platform.ts';
import { httpHead, type RawConnection, rawConnection } from '../support/raw-connection.ts';
import { seedPartner } from '../support/seed.ts';

const mebibyte = 1024 * 1024;
/** As many bodies of a mebibyte as an address may hold. */
const most = addressBytesMax / mebibyte;

const opened: RawConnection[] = [];

const platform = await usePlatform({ env: { TRUST_PROXY: '127.0.0.99' } });
const account = await (await seedPartner(platform)).account();
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await expect.poll(held).toBe(0);
});

const held = (): number => platform.services.bodyMemory.bytes;

/** A GraphQL operation of so many bytes, as anybody may send it. */
function operation(bytes: number): string {
  const [head, tail] = ['{"query":"{ __typename }","variables":{"a":"', '"}}'];
  return head + 'a'.repeat(bytes - head.length - tail.length) + tail;
}

async function send(
  body: string,
  {
    from = '127.0.0.1',
    of = body.length,
    path = '/graphql',
    headers = {},
  }: Partial<{
    from: string;
    of: number;
    path: string;
    headers: Record<string, string>;
  }> = {},
): Promise<RawConnection> {
  const connection = await rawConnection(platform, from);
  opened.push(connection);
  const type = { 'Content-Type': 'application/json', 'Content-Length': of };
  connection.socket.write(httpHead('POST', path, { ...type, ...headers }) + body);
  return connection;
}

/** Requests that lack the last byte of their bodies, when the platform holds the rest. */
async function halfSent(count: number, from: string, headers: Record<string, string> = {}): Promise<RawConnection[]> {
  const before = held();
  const body = operation(mebibyte).slice(0, -1);
  const all = await Promise.all(Array.from({ length: count }, () => send(body, { from, of: mebibyte, headers })));
  await expect.poll(() => held() - before).toBeGreaterThanOrEqual(count * (mebibyte - 1));
  return all;
}

const statusOf = ({ received }: RawConnection): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(received())?.[1];

async function answered(connection: RawConnection | undefined): Promise<string | undefined> {
  if (!connection) throw new Error('Connection not found.');
  await expect.poll(() => statusOf(connection)).toBeDefined();
  return statusOf(connection);
}

describe('what the bodies of requests may take in memory', () => {
  test('429 above 16 MiB of an address, which its small bodies and other addresses do not notice', async () => {
    const [first, ...others] = await halfSent(most, '127.0.0.1');
    const refused = await send(operation(smallBodyBytes + 1));
    expect(await answered(refused)).toBe('429');
    expect(refused.received()).toMatch(/\r\nRetry-After: 2\r\n/i);
    expect(refused.received()).toContain(
      'The bodies of more than 16384 bytes that one address sent may take 16777216 bytes together: try again in 2 s.',
    );
    expect(await answered(await send(operation(smallBodyBytes)))).toBe('200');
    expect((await account.api.call('/customers/create', { email: 'honest@example.com' })).status).toBe(200);
    expect(await answered(await send(operation(mebibyte), { from: '127.0.0.2' }))).toBe('200');
    first?.socket.write('}');
    expect(await answered(first)).toBe('200');
    expect(await answered(await send(operation(smallBodyBytes + 1)))).toBe('200');
    expect(others.map(statusOf)).toEqual(others.map(() => undefined));
  });

  test('503 above 64 MiB of all addresses for those that hold the most, not for one that holds less', async () => {
    const honest = await halfSent(3, '127.0.0.2');
    const greedy: RawConnection[] = [];
    for (const from of ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'])
      greedy.push(...(await halfSent(most - 1, from)));
    expect(held()).toBeLessThanOrEqual(processBytesMax);
    const last = operation(mebibyte).slice(0, -1);
    greedy.push(...(await Promise.all([1, 2].map(() => send(last, { from: '127.0.0.7', of: mebibyte })))));
    await expect.poll(held).toBeLessThanOrEqual(processBytesMax - 7 * mebibyte);
    for (const { socket } of [...honest, ...greedy]) socket.write('}');
    for (const connection of honest) expect(await answered(connection)).toBe('200');
    const statuses = await Promise.all(greedy.map(answered));
    const refused = greedy.filter((_connection, index) => statuses[index] === '503');
    expect(refused.length).toBeGreaterThanOrEqual(7);
    for (const { received } of refused) expect(received()).toMatch(/\r\nRetry-After: \d+\r\n/i);
  });

  test('behind a trusted proxy the address is the forwarded one', async () => {
    const client = (address: string) => ({ 'X-Forwarded-For': address });
    await halfSent(most, '127.0.0.99', client('203.0.113.7'));
    const requested = (address: string) =>
      send(operation(mebibyte), { from: '127.0.0.99', headers: client(address) }).then(answered);
    expect(await requested('203.0.113.8')).toBe('200');
    expect(await requested('203.0.113.7')).toBe('429');
  });

  test('the bodies of all surfaces are counted, and freed when their senders are gone', async () => {
    const key = { Authorization: `Bearer ${account.subKey}` };
    const paths: [path: string, headers: Record<string, string>][] = [
      ['/api/public/v1/customers/create', key],
      ['/api/public/v1/plugins/v2/deploy', key],
      ['/graphql', key],
      ['/hooks/processors/stripe?processor=proc_1', {}],
      ['/hooks/identity-provider', {}],
    ];
    for (const [path, headers] of paths) {
      const { socket } = await send('{'.repeat(2 * smallBodyBytes), { path, of: 4 * smallBodyBytes, headers });
      await expect.poll(held).toBeGreaterThanOrEqual(2 * smallBodyBytes);
      socket.destroy();
      await expect.poll(held).toBe(0);
    }
  });

  test('a body that comes byte by byte takes at most twice its size', async () => {
    const chunked = await rawConnection(platform);
    opened.push(chunked);
    const head = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const pieces = operation(100_000).replace(/./gs, '1\r\n$&\r\n');
    chunked.socket.write(httpHead('POST', '/graphql', head) + pieces);
    await expect.poll(held).toBeGreaterThanOrEqual(100_000);
    expect(held()).toBeLessThanOrEqual(200_000);
    chunked.socket.write('0\r\n\r\n');
    expect(await answered(chunked)).toBe('200');
  });
});
