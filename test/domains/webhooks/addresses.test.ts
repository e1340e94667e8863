import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress, type Lookup } from '../../../src/adapters/webhook-http/addresses.ts';
import { createWebhookSender } from '../../../src/adapters/webhook-http/http-sender.ts';
import { freePort } from '../../support/ports.ts';
import { startReceiver } from '../../support/receiver.ts';

/** Host names that resolve to the addresses the test sets. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'private.example': ['10.0.0.7'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
};
const lookup: Lookup = (hostname, _options, done) => {
  const addresses = names[hostname];
  if (addresses)
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  else done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
};
const sender = createWebhookSender({ allowPrivate: false, lookup });
const post = { headers: {}, body: '{}' };

const refused = [
  ['loopback', 'http://127.0.0.1/'],
  ['loopback, the end of its range', 'http://127.255.255.254/'],
  ['loopback as IPv6', 'http://[::1]/'],
  ['localhost', 'http://localhost/'],
  ['localhost with a dot', 'http://localhost./'],
  ['localhost in capitals', 'http://LOCALHOST:8080/'],
  ['below localhost', 'http://a.localhost/'],
  ['private 10/8', 'http://10.0.0.1/'],
  ['private 172.16/12, its first', 'http://172.16.0.0/'],
  ['private 172.16/12, its last', 'http://172.31.255.255/'],
  ['private 192.168/16', 'http://192.168.1.1/'],
  ['link-local', 'http://169.254.1.1/'],
  ['the metadata service', 'http://169.254.169.254/latest/meta-data/'],
  ['the metadata service as IPv6', 'http://[fd00:ec2::254]/'],
  ['link-local as IPv6', 'http://[fe80::1]/'],
  ['unique-local', 'http://[fc00::1]/'],
  ['unique-local, second half', 'http://[fdff::1]/'],
  ['carrier-grade NAT, its first', 'http://100.64.0.0/'],
  ['carrier-grade NAT, its last', 'http://100.127.255.255/'],
  ['multicast', 'http://224.0.0.1/'],
  ['multicast as IPv6', 'http://[ff02::1]/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['unspecified', 'http://0.0.0.0/'],
  ['this network', 'http://0.1.2.3/'],
  ['unspecified as IPv6', 'http://[::]/'],
  ['reserved', 'http://240.0.0.1/'],
  ['documentation', 'http://192.0.2.1/'],
  ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped private, in hexadecimal', 'http://[::ffff:a00:1]/'],
  ['IPv4-compatible loopback', 'http://[::7f00:1]/'],
  ['NAT64 of loopback', 'http://[64:ff9b::7f00:1]/'],
  ['6to4 of loopback', 'http://[2002:7f00:1::]/'],
  ['decimal', 'http://2130706433/'],
  ['octal', 'http://0177.0.0.1/'],
  ['hexadecimal', 'http://0x7f000001/'],
  ['hexadecimal in parts', 'http://0x7f.0x0.0x0.0x1/'],
  ['two parts', 'http://127.1/'],
  ['full-width digits', 'http://１２７.0.0.1/'],
  ['percent-encoded', 'http://%31%32%37.0.0.1/'],
  ['a name of a private address', 'http://private.example/'],
  ['a name with one private address among others', 'http://mixed.example/'],
  ['a name of a mapped address', 'http://mapped.example/'],
] as const;

test("the refusal names the setting for a receiver on the developer's machine where only that reaches the platform", async () => {
  const local = createWebhookSender({ allowPrivate: false, isLocal: true, lookup });
  expect(await local.refusalOf('http://127.0.0.1:4001/')).toMatch(/WEBHOOK_ALLOW_PRIVATE=true$/);
  expect(await sender.refusalOf('http://127.0.0.1:4001/')).not.toMatch(/WEBHOOK/);
});

describe('addresses of private networks', () => {
  test.each(refused)('rejected at registration and at connect: %s (%s)', async (_what, url) => {
    expect(await sender.refusalOf(url)).toMatch(/private/);
    // `localhost` resolves neither in the test nor in public DNS; the address it stands for is rejected above.
    const answer = await sender.send({ ...post, url });
    expect(answer.status).toBeNull();
    expect(answer.error).toMatch(url.toLowerCase().includes('localhost') ? /ENOTFOUND/ : /private network/);
  });

  test.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '223.255.255.254',
    '11.0.0.1',
    '169.253.255.255',
  ])('public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('allowed at registration: a public name, and one that cannot be resolved yet', async () => {
    expect(await sender.refusalOf('https://public.example/hook')).toBeNull();
    expect(await sender.refusalOf('https://later.example/hook')).toBeNull();
  });

  test('a name that becomes private after its registration is rejected at connect', async () => {
    names['turning.example'] = ['93.184.216.34'];
    expect(await sender.refusalOf('http://turning.example/')).toBeNull();
    names['turning.example'] = ['127.0.0.1'];
    expect((await sender.send({ ...post, url: 'http://turning.example/' })).error).toMatch(/private network/);
  });

  test('the receivers of the demo are allowed by the begin of their URL, and nothing beside them', async () => {
    const receiver = await startReceiver();
    const prefix = new URL('/test/receivers/', receiver.url).href;
    const demo = createWebhookSender({ allowPrivate: false, lookup, allowedPrefix: prefix });
    try {
      expect(await demo.refusalOf(`${prefix}accepts`)).toBeNull();
      expect(await demo.send({ ...post, url: `${prefix}accepts` })).toMatchObject({ status: 200, error: null });
      const { port } = new URL(prefix);
      for (const url of [
        new URL('/other', receiver.url).href,
        `${prefix}../../metrics`,
        prefix.replace(port, '1025'),
      ]) {
        expect(await demo.refusalOf(url), url).not.toBeNull();
        expect((await demo.send({ ...post, url })).status, url).toBeNull();
      }
    } finally {
      await receiver.close();
    }
  });

  test('WEBHOOK_ALLOW_PRIVATE allows them', async () => {
    const receiver = await startReceiver();
    const open = createWebhookSender({ allowPrivate: true });
    try {
      expect(await open.refusalOf(receiver.url)).toBeNull();
      expect(await open.send({ ...post, url: receiver.url })).toMatchObject({ status: 200, error: null });
    } finally {
      await receiver.close();
    }
  });
});

describe('one request', () => {
  const open = createWebhookSender({ allowPrivate: true });
  /** For responses that do not end. */
  const hasty = (timeoutMs: number) => createWebhookSender({ allowPrivate: true, timeoutMs });
  const server = createServer((request, response) => {
    if (request.url === '/large') return void response.end(`${'x'.repeat(1_023)}é and so on`);
    if (request.url === '/endless') {
      const more = () => response.write('y'.repeat(4_096), () => !response.destroyed && more());
      return more();
    }
    if (request.url === '/nul') return void response.end('a\0b');
    if (request.url === '/redirect') return void response.writeHead(302, { Location: '/elsewhere' }).end();
    if (request.url === '/half') return void response.writeHead(200).write('first half');
    if (request.url === '/cut') return void request.socket.destroy();
    if (request.url === '/wait') return void response.writeHead(503, { 'Retry-After': '7' }).end('later');
    requested.push(request.url ?? '');
  });
  const requested: string[] = [];
  let base = '';
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const send = (path: string, sender = open) => sender.send({ ...post, url: `${base}${path}` });

  test('at most 1 KiB of a response is stored, without a truncated character', async () => {
    expect((await send('/large')).responseBody).toBe('x'.repeat(1_023));
  });

  test('an endless response is not read to its end', async () => {
    expect(await send('/endless')).toMatchObject({ status: 200, responseBody: 'y'.repeat(1_024), error: null });
  });

  test('a response with a NUL can be stored', async () => {
    expect((await send('/nul')).responseBody).toBe('ab');
  });

  test('a redirect is not followed', async () => {
    expect(await send('/redirect')).toMatchObject({ status: 302, error: null });
    expect(requested).not.toContain('/elsewhere');
  });

  test('no response within the timeout is a failure with that reason', async () => {
    expect(await send('/silent', hasty(300))).toMatchObject({
      status: null,
      error: 'No answer within 0.3 s.',
      aborted: false,
    });
  });

  test('a status within the timeout counts, though its body never ends', async () => {
    expect(await send('/half', hasty(2_000))).toMatchObject({ status: 200, responseBody: 'first half', error: null });
  });

  test('a connection that breaks is a failure', async () => {
    const { status, error } = await send('/cut');
    expect([status, error]).toEqual([null, 'ECONNRESET: socket hang up']);
  });

  test('Retry-After is returned', async () => {
    expect(await send('/wait')).toMatchObject({ status: 503, retryAfter: '7', responseBody: 'later' });
  });

  test('a refused connection is a failure', async () => {
    expect(await open.send({ ...post, url: `http://127.0.0.1:${await freePort()}/` })).toMatchObject({
      status: null,
      error: expect.stringMatching(/^ECONNREFUSED/),
    });
  });

  test.each([0, 1, 22, 25, 81, 587, 1023])('port %i is refused at registration and at connect', async (port) => {
    const url = `http://public.example:${port}/`;
    for (const each of [open, sender]) {
      expect(await each.refusalOf(url)).toBe('must have port 443, 80 or 1024 and above');
      const answer = await each.send({ ...post, url });
      expect([answer.status, answer.error]).toEqual([null, 'The address must have port 443, 80 or 1024 and above.']);
    }
  });

  test.each([
    'https://public.example/',
    'https://public.example:80/',
    'http://public.example:443/',
    'http://public.example:1024/',
  ])('%s is allowed at registration', async (url) => {
    expect(await sender.refusalOf(url)).toBeNull();
  });

  test('a request aborted by the stop of the server is no failure of the receiver', async () => {
    const stop = new AbortController();
    const sending = open.send({ ...post, url: `${base}/silent`, signal: stop.signal });
    stop.abort();
    expect(await sending).toMatchObject({ status: null, aborted: true });
  });
});
