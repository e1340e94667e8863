// guards: src/main.ts src/local/banner.ts src/operating/prepare-database.ts src/keys/checks.ts src/local src/settings/secrets.ts src/settings/demo-credentials.ts
// cspell:ignore cmdline pids

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readDemo } from '../../../src/settings/demo-credentials.ts';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/ports.ts';
import { launchServer, type ServerProcess } from '../../support/server-process.ts';

// On one directory, in this order: what one interruption leaves is what the next start finds.

const parent = mkdtempSync(join(tmpdir(), 'platform-first-'));
const platformDir = join(parent, 'data');
const dir = join(platformDir, 'postgres');
const started: ServerProcess[] = [];

// A test that fails leaves nothing to the next one.
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill();
  for (const pid of databaseProcesses()) process.kill(pid, 'SIGKILL');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function launch(): Promise<ServerProcess> {
  const server = launchServer({ PLATFORM_DIR: platformDir, PORT: String(await freePort()), LOG_LEVEL: 'info' });
  started.push(server);
  return server;
}

/** Of initdb, pg_ctl and PostgreSQL, which name the directory when they are started. */
function databaseProcesses(): number[] {
  return pids().filter((pid) => commandOf(pid).includes(dir));
}

function childrenOf({ process: { pid } }: ServerProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It has ended.
  }
}

const drafts = (): string[] => readdirSync(platformDir).filter((name) => name.includes('.new-'));
const fills = (server: ServerProcess): boolean =>
  childrenOf(server).some((pid) => commandOf(pid).includes('fill-child'));

/** Far above what a first start takes, even on a busy machine. */
const timeout = 180_000;

describe('a signal in the middle of a first start ends it with 0 and a line, and leaves no process and no draft', () => {
  test.each([
    ['SIGTERM', 'initdb', () => existsSync(platformDir) && drafts().some((name) => !name.endsWith('.password'))],
    ['SIGHUP', 'initdb at work', () => drafts().some((name) => existsSync(join(platformDir, name, 'base')))],
    ['SIGINT', 'the start of PostgreSQL', () => existsSync(join(dir, 'PG_VERSION'))],
    ['SIGHUP', 'the start of PostgreSQL again', () => databaseProcesses().length > 0],
    ['SIGINT', 'the migrations', fills],
    ['SIGTERM', 'the demo', (server: ServerProcess) => server.output().includes('The demo tenants are being created')],
  ] as const)('%s during %s', { timeout }, async (signal, _moment, isReached) => {
    const server = await launch();
    await expect.poll(() => isReached(server), { interval: 5, timeout }).toBe(true);
    const children = childrenOf(server);
    expect(await server.stop(signal)).toMatchObject({ code: 0, signal: null });
    expect(server.output()).toContain(`The start was interrupted by ${signal}.`);
    expect(drafts()).toEqual([]);
    // A process that was killed is gone a moment later.
    await expect.poll(databaseProcesses).toEqual([]);
    await expect.poll(() => children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});

test('kill -9 while the demo is being created: the next start succeeds, with the whole demo once', {
  timeout: 2 * timeout,
}, async () => {
  const killed = await launch();
  await expect.poll(() => killed.output(), { timeout }).toContain('The demo tenants are being created');
  await killed.kill();
  const server = await launch();
  await expect.poll(() => server.output(), { timeout }).toContain('is running.');
  const demo = readDemo({ isProduction: false, platformDir });
  const { items } = await clientOf(server, demo?.partnerKeys.test ?? '').ok('/accounts/list', {});
  expect(items.map(({ legalName }: { legalName: string }) => legalName).sort()).toEqual([
    'Corner Shop Europe GmbH',
    'Corner Shop Ltd',
  ]);
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(databaseProcesses()).toEqual([]);
});
