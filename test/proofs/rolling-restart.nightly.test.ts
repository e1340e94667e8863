// guards: src/runtime src/server.ts src/main.ts src/limits/connections.ts rest/health.ts docs/self-hosting/running.md
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/database.ts';
import { haproxyProgram, type RunningProxy, startProxy } from '../support/haproxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { disableRateLimits } from '../support/rates.ts';
import { rawAnswer } from '../support/raw-answer.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';

const program = haproxyProgram;
const restarts = 10;
/** Three checks of the page's configuration, which two failed ones end. */
const stopDelayMs = 3_000;
/** Leaves the processors to the servers that start meanwhile. */
const pauseMs = 20;
const env: Record<string, string> = {
  ...newSecrets(),
  LOG_LEVEL: 'info',
  STOP_DELAY_MS: String(stopDelayMs),
};

describe.skipIf(program === null)('two servers behind HAProxy (apt-get install haproxy, or HAPROXY)', () => {
  let observer: TestPlatform;
  let accounts: SeededAccount[];
  let servers: ServerProcess[];
  let proxy: RunningProxy;

  beforeAll(async () => {
    env['DATABASE_URL'] = await freshDatabase();
    observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env: { ...env, STOP_DELAY_MS: '0' } });
    await disableRateLimits(observer);
    const partner = await seedPartner(observer);
    accounts = await Promise.all(Array.from({ length: 12 }, () => partner.account()));
    servers = [await startOn(await freePort()), await startOn(await freePort())];
    const [first, second] = servers.map(({ url }) => url);
    proxy = await startProxy(program ?? '', 'running.md', { 'platform-1': first ?? '', 'platform-2': second ?? '' });
  });
  afterAll(async () => {
    await proxy?.stop();
    for (const server of servers ?? []) await server.kill();
    await observer?.close();
  });

  const startOn = (port: number) => startServerProcess({ ...env, PORT: String(port) });

  /** The log of a server has a line for each call. */
  const usedByProxy = (server: ServerProcess) =>
    vi.waitFor(() => expect(server.output()).toContain('/auth/test'), 30_000);

  /** 12 callers until `until` is aborted, of which four change something. */
  async function load(until: AbortSignal): Promise<{ answered: number; failed: string[] }> {
    const failed: string[] = [];
    let answered = 0;
    async function caller({ subKey }: SeededAccount, isChange: boolean): Promise<void> {
      const headers = { Authorization: `Bearer ${subKey}` };
      while (!until.aborted) {
        const path = isChange ? '/customers/create' : '/auth/test';
        const body = isChange ? { email: `${randomUUID()}@example.com` } : undefined;
        const method = isChange ? 'POST' : 'GET';
        const outcome = await rawAnswer(`${proxy.url}/api/public/v1${path}`, { method, headers, ...(body && { body }) })
          .then(({ status, body: text }) => (status === 200 ? null : `${status} ${text.toString()}`))
          .catch(String);
        if (outcome !== null) failed.push(outcome);
        answered += 1;
        await delay(pauseMs);
      }
    }
    await Promise.all(accounts.map((account, index) => caller(account, index % 3 === 0)));
    return { answered, failed };
  }

  test('no call of a load fails while each of two servers is restarted five times, one after the other', {
    timeout: 300_000,
  }, async () => {
    const ended = new AbortController();
    const loaded = load(ended.signal);
    try {
      for (let made = 0; made < restarts; made++) {
        const server = servers[made % 2];
        if (!server) throw new Error('There are two servers.');
        expect(await server.stop()).toMatchObject({ code: 0, signal: null });
        const next = await startOn(Number(new URL(server.url).port));
        servers[made % 2] = next;
        await usedByProxy(next);
      }
    } finally {
      ended.abort();
    }
    const { answered, failed } = await loaded;
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(1_000);
  });
});
