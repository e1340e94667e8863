import { scrypt } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createWebhookSender } from '../../src/adapters/webhook-http/http-sender.ts';
import { createNames, type Names } from '../../src/adapters/webhook-http/names.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

/** Longer than any test: no look-up of a silent name ends by itself. */
const timeoutMs = 600_000;
const dir = mkdtempSync(join(tmpdir(), 'platform-names-'));
let server: NameServer;
let names: Names | undefined;

beforeAll(async () => {
  server = await startNameServer({ 'good.example': '93.184.216.34', 'inside.example': '10.0.0.7' });
});
afterEach(() => names?.cancel());
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await server.close();
});

function open(options: Parameters<typeof createNames>[0] = {}): Names {
  names = createNames({ servers: [server.address], timeoutMs, ...options });
  return names;
}

/** The outcome of a look-up: its addresses, or the code of its error. */
function resolved({ lookup }: Names, name: string, family = 0): Promise<string> {
  return new Promise((resolve) =>
    lookup(name, { all: true, family }, (error, addresses) =>
      resolve(error ? (error.code ?? '?') : addresses.map(({ address }) => address).join(' ')),
    ),
  );
}

test('many look-ups without an answer hold none of the threads that hash passwords and read files', async () => {
  const own = open();
  const before = server.questions;
  let ended = 0;
  const slow = Array.from({ length: 64 }, (_, index) => resolved(own, `silent.site${index}.example`));
  for (const one of slow) void one.then(() => (ended += 1));
  await expect.poll(() => server.questions - before).toBeGreaterThanOrEqual(64);
  await Promise.all([promisify(scrypt)('password', 'salt', 32), systemLookup('localhost')]);
  expect(await resolved(own, 'good.example')).toBe('93.184.216.34');
  expect(ended).toBe(0);
  own.cancel();
  await Promise.all(slow);
});

test('EAI_AGAIN above the look-ups of one site, while other sites are resolved', async () => {
  const own = open({ siteMax: 3 });
  const requested = server.questions;
  const slow = ['a', 'b', 'c'].map((label) => resolved(own, `${label}.attacker.example`));
  await expect.poll(() => server.questions - requested).toBeGreaterThanOrEqual(3);
  expect(await resolved(own, 'd.attacker.example')).toBe('EAI_AGAIN');
  expect(await resolved(own, 'good.example')).toBe('93.184.216.34');
  own.cancel();
  await Promise.all(slow);
  // Its look-ups have ended, so it may ask again.
  const before = server.questions;
  const next = resolved(own, 'e.attacker.example');
  await expect.poll(() => server.questions).toBeGreaterThan(before);
  own.cancel();
  expect(await next).not.toBe('EAI_AGAIN');
});

test('EAI_AGAIN above the look-ups in all', async () => {
  const own = open({ totalMax: 2 });
  const before = server.questions;
  const slow = ['a.one.example', 'a.two.example'].map((name) => resolved(own, name));
  await expect.poll(() => server.questions - before).toBeGreaterThanOrEqual(2);
  expect(await resolved(own, 'good.example')).toBe('EAI_AGAIN');
  own.cancel();
  await Promise.all(slow);
});

test('a look-up without an answer ends by itself', async () => {
  expect(await resolved(open({ timeoutMs: 100 }), 'silent.example')).toMatch(/^E/);
});

test('localhost and the names of the hosts file are known without a name server', async () => {
  const hostsFile = join(dir, 'hosts');
  writeFileSync(
    hostsFile,
    '# comment\n127.0.0.5  receiver.test receiver # mine\n::1 receiver.test\nnonsense receiver.test\n',
  );
  const own = open({ hostsFile });
  expect(await resolved(own, 'localhost')).toBe('127.0.0.1 ::1');
  expect(await resolved(own, 'shop.localhost')).toBe('127.0.0.1 ::1');
  expect(await resolved(own, 'RECEIVER.test.')).toBe('127.0.0.5 ::1');
  expect(await resolved(own, 'receiver.test', 4)).toBe('127.0.0.5');
  expect(await resolved(own, 'receiver.test', 6)).toBe('::1');
});

test('a webhook reaches localhost when private networks are allowed, and no private address of a name otherwise', async () => {
  const receiver = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  const { lookup } = open();
  try {
    const post = { headers: {}, body: '{}' };
    const free = createWebhookSender({ allowPrivate: true, lookup });
    expect(await free.send({ ...post, url: `http://localhost:${port}/` })).toMatchObject({ status: 200 });
    const strict = createWebhookSender({ allowPrivate: false, lookup });
    for (const url of [`http://localhost:${port}/`, 'http://inside.example/'])
      expect(await strict.send({ ...post, url })).toMatchObject({
        status: null,
        error: 'The address is of a private network.',
      });
    expect(await strict.refusalOf('http://inside.example/')).toContain('must not lead to a private');
    expect(await strict.refusalOf('http://good.example/')).toBeNull();
  } finally {
    receiver.close();
  }
});
