// guards: src/main.ts src/local/banner.ts src/operating/prepare-database.ts src/keys/checks.ts src/local src/settings/secrets.ts src/settings/demo-credentials.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { fillDatabase } from '../../src/local/demo.ts';
import { createLog } from '../../src/observability/log.ts';
import type { Demo } from '../../src/settings/demo-credentials.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { testConfig } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { programEnv } from '../support/program-env.ts';

let expected: number;
beforeAll(async () => {
  expected = await seededPayments();
});

test('a first start killed while it seeds is completed by the next one, and then kept', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'platform-first-start-'));
  const port = await freePort();
  const start = () =>
    spawn(process.execPath, ['src/main.ts'], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: { ...programEnv, PLATFORM_DIR: dir, PORT: String(port), LOG_LEVEL: 'error' },
      stdio: 'ignore',
    });
  try {
    const killed = start();
    await until(async () => (await paymentsIn(dir, 'platform_draft')) >= 20);
    await end(killed, 'SIGKILL');

    const second = start();
    await until(() => isReady(port));
    const kept = readFileSync(join(dir, 'demo.json'), 'utf8');
    expect(await paymentsIn(dir, 'platform')).toBeGreaterThanOrEqual(expected);
    await end(second, 'SIGTERM');

    const third = start();
    await until(() => isReady(port));
    expect(readFileSync(join(dir, 'demo.json'), 'utf8')).toBe(kept);
    const { partnerKeys } = JSON.parse(kept) as Demo;
    expect((await clientOf({ url: `http://127.0.0.1:${port}` }, partnerKeys.test).call('/auth/test')).status).toBe(200);
    await end(third, 'SIGTERM');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}, 120_000);

/** The number of payments of a complete seed without those of the last hour, which depend on the time of the seed. */
async function seededPayments(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'platform-seed-'));
  const url = await freshDatabase();
  await fillDatabase(testConfig(url, { PLATFORM_DIR: directory }), url, createLog({ level: 'silent' }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM payments WHERE "createdAt" < $1', [
    new Date(Date.now() - 3_600_000),
  ]);
  await client.end();
  rmSync(directory, { recursive: true, force: true });
  return Number(rows[0]?.n);
}

/** The number of payments in a database of the platform's embedded server; 0 if there is no such database or server. */
async function paymentsIn(dir: string, database: string): Promise<number> {
  try {
    const port = readFileSync(join(dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const { databasePassword } = JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as {
      databasePassword: string;
    };
    const client = new pg.Client({
      connectionString: `postgresql://platform:${databasePassword}@127.0.0.1:${port}/${database}`,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return Number((await client.query<{ n: string }>('SELECT count(*) AS n FROM payments')).rows[0]?.n);
    } finally {
      await client.end();
    }
  } catch {
    return 0;
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 50_000;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('It did not come about within 50 s.');
    await pause(25);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}
