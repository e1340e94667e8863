import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../../src/local/postgres-programs.ts';
import type { Release } from './release.ts';

// node test/operating/upgrade/make-release.ts <commit> <URL of an empty database>: starts the server of that commit from a
// checkout of its own, has it do some business over HTTP, and writes the database and what the test needs to know.
// pg_dump must be installed, in the version of the database server. RELEASE_CHECKOUT names a checkout that is there.
const [commit, ownerUrl] = process.argv.slice(2);
if (commit === undefined || ownerUrl === undefined) throw new Error('Name a commit and the URL of an empty database.');
const root = join(import.meta.dirname, '..', '..', '..');
const checkout = process.env['RELEASE_CHECKOUT'] ?? makeCheckout(commit);

const newKey = (): string => randomBytes(32).toString('base64');
const keys = { VAULT_KEYS: `release:${newKey()}`, FINGERPRINT_KEY: newKey(), IDP_SECRET: newKey() };
const serverUrl = new URL(ownerUrl);
serverUrl.username = 'release_server';
serverUrl.password = randomBytes(12).toString('hex');
const env = {
  PATH: process.env['PATH'],
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  PORT: String(await freePort()),
  PLATFORM_DIR: mkdtempSync(join(tmpdir(), 'release-')),
  DATABASE_URL: serverUrl.href,
  MIGRATION_DATABASE_URL: ownerUrl,
  ...keys,
};

function makeCheckout(of: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-checkout-'));
  const run = (command: string, ...args: string[]): Buffer => execFileSync(command, args, { cwd: folder });
  run('git', 'clone', '--quiet', '--no-checkout', root, '.');
  run('git', 'checkout', '--quiet', of);
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  run('node_modules/.bin/prisma', 'generate', '--no-hints');
  return folder;
}

async function call(key: string, path: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${env.PORT}/api/public/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function start(): Promise<ChildProcess> {
  const server = spawn(process.execPath, ['src/main.ts'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (;;) {
    if (server.exitCode !== null) throw new Error('The server did not start.');
    const ready = await fetch(`http://127.0.0.1:${env.PORT}/health/ready`).catch(() => null);
    if (ready?.ok) return server;
    await delay(200);
  }
}

/** One merchant with cards, payments, refunds, a hold, a dispute, a renewed subscription and delivered events. */
async function doBusiness(): Promise<Omit<Release, 'commit' | 'takenAt' | 'keys'>> {
  let deliveries = 0;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
    deliveries += 1;
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  const partnerKey = execFileSync(
    process.execPath,
    ['src/cli/platform.ts', 'partner-key', 'release', '--mode', 'test', '--create', 'Release Partner'],
    { cwd: checkout, env, encoding: 'utf8' },
  ).trim();
  execFileSync(process.execPath, ['src/cli/platform.ts', 'superadmin', 'operator@example.com'], { cwd: checkout, env });
  const account = await call(partnerKey, '/accounts', { legalName: 'Release Shop' });
  const { secret: subKey } = await call(partnerKey, `/accounts/${account.id}/api-keys`, { label: 'shop server' });
  const storeId = account.stores[0].id;
  await call(subKey, '/webhooks', { url: `http://127.0.0.1:${port}/hook`, eventTypes: ['payment/succeeded'] });
  const customer = await call(subKey, '/customers/create', { storeId, email: 'shopper@example.com' });
  const instruments: string[] = [];
  for (const cardNumber of ['4242424242424242', '5555555555554444']) {
    const card = { storeId, cardNumber, expMonth: 12, expYear: 2040, cvc: '123' };
    const { token } = await call(subKey, '/payment-instruments/tokenize', card);
    const made = { storeId, token, customerId: customer.id };
    instruments.push((await call(subKey, '/payment-instruments/create-from-token', made)).paymentInstrument.id);
  }
  const charge = { storeId, paymentInstrumentId: instruments[0], amount: 2500, currency: 'USD' };
  const idempotencyKey = 'order-of-the-release';
  const { payment } = await call(subKey, '/payments/process', charge, { 'Idempotency-Key': idempotencyKey });
  await call(subKey, '/payments/refund', { paymentId: payment.id, amount: 700 });
  const held = await call(subKey, '/payments/process', { ...charge, amount: 4000, mode: 'auth' });
  const second = { ...charge, paymentInstrumentId: instruments[1], amount: 1900 };
  const { payment: disputed } = await call(subKey, '/payments/process', second);
  await call(subKey, '/test-disputes/create', { paymentId: disputed.id, amount: 1900, reason: 'fraudulent' });
  const product = await call(subKey, '/products/create', {
    storeId,
    name: 'Coffee club',
    prices: [{ currency: 'USD', amount: 1500, interval: 'month' }],
  });
  const subscription = await call(subKey, '/subscriptions/create', {
    customerId: customer.id,
    priceId: product.prices[0].id,
  });
  while (deliveries < 3) await delay(100);
  await delay(1_000); // the answers of the receiver are stored
  receiver.close();
  return {
    partnerKey,
    subKey,
    storeId,
    instruments,
    charge,
    idempotencyKey,
    payment,
    heldPaymentId: held.payment.id,
    subscriptionId: subscription.id,
  };
}

const server = await start();
try {
  const business = await doBusiness();
  const release: Release = { commit, takenAt: new Date().toISOString(), keys, ...business };
  server.kill('SIGTERM');
  while (server.exitCode === null) await delay(100);
  const dump = execFileSync('pg_dump', [
    '--no-owner',
    '--no-privileges',
    '--inserts',
    '--rows-per-insert=100',
    ownerUrl,
  ]);
  const folder = import.meta.dirname;
  // Commands of psql, which this is not for.
  const sql = dump.toString().replaceAll(/^\\(?:un)?restrict \S+\n/gm, '');
  writeFileSync(join(folder, 'release.sql.gz'), gzipSync(sql, { level: 9 }));
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
  execFileSync('biome', ['format', '--write', join(folder, 'release.json')]);
} finally {
  server.kill('SIGKILL');
  if (existsSync(env.PLATFORM_DIR)) rmSync(env.PLATFORM_DIR, { recursive: true });
}
