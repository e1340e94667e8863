// guards: src/local src/main.ts src/cli/commands/backup.ts src/cli/commands/restore.ts
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/local/embedded-postgres.ts';
import { runningPort, urlOf } from '../../../src/local/postgres-programs.ts';
import { readDemo } from '../../../src/settings/demo-credentials.ts';
import { localSecrets } from '../../../src/settings/secrets.ts';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/ports.ts';
import { programEnv } from '../../support/program-env.ts';
import { launchServer, type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const parent = mkdtempSync(join(tmpdir(), 'platform-own-'));
const platformDir = join(parent, 'data');
const root = join(import.meta.dirname, '..', '..', '..');
const dataDir = join(platformDir, 'postgres');
const pidFile = join(dataDir, 'postmaster.pid');
const started: ServerProcess[] = [];

afterAll(async () => {
  // The database of a killed server keeps running: a last start takes it over and stops it.
  for (const server of started) await server.kill();
  if (existsSync(pidFile)) await (await startServerProcess({ PLATFORM_DIR: platformDir })).stop();
  rmSync(parent, { recursive: true, force: true });
});

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess({ PLATFORM_DIR: platformDir });
  started.push(server);
  return server;
}

function postmaster(): string | undefined {
  return existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n')[0] : undefined;
}

test('of two first starts at once on one data directory one runs and the other exits with one sentence', {
  timeout: 120_000,
}, async () => {
  const launched = await Promise.all(
    [0, 1].map(async () => launchServer({ PLATFORM_DIR: platformDir, PORT: String(await freePort()) })),
  );
  started.push(...launched);
  const outcomes = launched.map(async (server) => {
    const up = new Promise<'up'>((resolve) =>
      server.process.stdout?.on('data', () => server.output().includes('is running.') && resolve('up')),
    );
    return Promise.race([up, server.exited.then(({ code }) => code)]);
  });
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['up', 1]));
  const loser = launched.find((server) => server.process.exitCode === 1);
  const winner = launched.find((server) => server.process.exitCode === null);
  const place = `process ${winner?.process.pid}, PORT ${new URL(winner?.url ?? '').port}`;
  expect(loser?.output()).toBe(
    `The platform is already running on the data in ${join(platformDir, 'postgres')} (${place}); stop it first, or ` +
      `start this one with another PLATFORM_DIR and PORT.\n`,
  );
  expect(await winner?.stop()).toMatchObject({ code: 0 });
  expect(postmaster()).toBeUndefined();
});

test('kill -9 of the server leaves its database running; the next start takes it over with all data', {
  timeout: 120_000,
}, async () => {
  const first = await start();
  const demo = readDemo({ isProduction: false, platformDir });
  if (!demo) throw new Error('The start seeded no demo tenant.');
  const { storeId, paymentInstrumentId, subKey } = demo.accounts.test;
  const { payment } = await clientOf(first, subKey).ok('/payments/process', {
    storeId,
    paymentInstrumentId,
    amount: 4_711,
    currency: 'USD',
  });
  const owner = postmaster();
  await first.kill();
  expect(postmaster()).toBe(owner);

  const second = await start();
  expect(postmaster()).toBe(owner);
  expect(second.output()).toContain(
    'The PostgreSQL of a platform that was killed was still running, and was taken over.',
  );
  expect((await clientOf(second, subKey).ok(`/payments/${payment.id}`)).payment).toEqual(payment);
});

test('a start beside a running server exits with 1 and one sentence, and does not disturb it', async () => {
  const running = started.at(-1);
  if (!running) throw new Error('The test before starts one.');
  const other = launchServer({ PLATFORM_DIR: platformDir, PORT: String(await freePort()) });
  expect((await other.exited).code).toBe(1);
  expect(other.output().trim().split('\n')).toHaveLength(1);
  expect(other.output()).toContain('already running');
  const { status } = await fetch(`${running.url}/health/ready`);
  expect(status).toBe(200);
  expect(await running.stop()).toMatchObject({ code: 0 });
  expect(postmaster()).toBeUndefined();
});

/** Commands at once, as an operator runs them; each ends with 0. */
async function run(...commands: string[][]): Promise<void> {
  const env = { ...programEnv, NODE_ENV: 'development', PLATFORM_DIR: platformDir };
  const ended = commands.map((args) =>
    promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), ...args], { env }),
  );
  await Promise.all(ended);
}

const isReady = async (server: ServerProcess): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;

describe('a command leaves the database running', { timeout: 120_000 }, () => {
  test('of a platform whose PostgreSQL has crashed and is back; that owns it again', async () => {
    const server = await start();
    const owner = postmaster();
    const client = new pg.Client(urlOf(runningPort(dataDir) ?? 0, localSecrets(platformDir).databasePassword));
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // PostgreSQL ends every connection with it.
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await run(['verify', 'ledger'], ['verify', 'audit']);
    expect(postmaster()).toBe(owner);
    await expect.poll(() => isReady(server)).toBe(200);
    const other = launchServer({ PLATFORM_DIR: platformDir, PORT: String(await freePort()) });
    expect((await other.exited).code).toBe(1);
    expect(other.output()).toContain(`already running on the data in ${dataDir} (process ${server.process.pid}, `);
  });

  test('that it has started itself, if a platform uses it meanwhile; that stops it at its end', async () => {
    const server = started.at(-1);
    process.kill(Number(postmaster()), 'SIGKILL');
    await run(['verify', 'metrics'], ['backup', join(parent, 'beside')]);
    if (!server) throw new Error('The test before starts one.');
    await expect.poll(() => isReady(server)).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(postmaster()).toBeUndefined();
  });

  test('of a platform that was killed; without one it stops what it has started, after the others', async () => {
    await run(['migrate'], ['keys', 'rotate']);
    expect(postmaster()).toBeUndefined();
    const server = await start();
    const owner = postmaster();
    await server.kill();
    await run(['keys', 'add'], ['partner-key', 'demo-partner', '--mode', 'test']);
    expect(postmaster()).toBe(owner);
  });
});

test('a backup of a running platform is restored in another folder with its secrets, and the proofs pass there', {
  timeout: 120_000,
}, async () => {
  const server = await start();
  const backup = join(parent, 'backup');
  await run(['backup', backup]);
  await server.stop();
  const other = join(parent, 'other');
  const command = (name: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), name, ...args], {
      env: { ...programEnv, NODE_ENV: 'development', PLATFORM_DIR: other },
    });
  mkdirSync(other);
  cpSync(join(platformDir, 'secrets.json'), join(other, 'secrets.json'));
  expect((await command('restore', backup)).stdout).toContain('The backup was restored.');
  expect((await command('verify', 'ledger')).stdout).toContain('no differences');
  await command('verify', 'audit');
  await expect(command('restore', backup)).rejects.toMatchObject({
    stderr: expect.stringContaining('move that folder away first'),
  });
  const second = await startServerProcess({ PLATFORM_DIR: other });
  await expect.poll(() => isReady(second)).toBe(200);
  await second.stop();
});

test('a server that crashed a moment ago counts as stopped, and the next start takes up its data', {
  timeout: 60_000,
}, async () => {
  const options = { dir: join(parent, 'crashed'), password: 'test', disposable: true };
  const crashed = await startEmbeddedPostgres(options);
  process.kill(Number(readFileSync(join(options.dir, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  await crashed.stop('immediate'); // its connection still seems open
  const next = await startEmbeddedPostgres(options);
  expect(next.url).toBe(crashed.url);
  await next.stop();
});

test('SIGHUP of a terminal that is gone stops the server and its database', { timeout: 120_000 }, async () => {
  const server = await start();
  expect(postmaster()).toBeDefined();
  // What is written now fails, as it does in a closed terminal.
  server.process.stdout?.destroy();
  server.process.stderr?.destroy();
  expect(await server.stop('SIGHUP')).toMatchObject({ code: 0, signal: null });
  expect(postmaster()).toBeUndefined();
});
