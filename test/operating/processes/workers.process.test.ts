// guards: src/main.ts src/server.ts src/workers.ts src/runtime src/observability src/local
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/settings/load-config.ts';
import { signedIn } from '../../iam/people.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner, freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { launchServer, newSecrets, type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const metricsToken = 'a-token-of-the-monitoring';
const monitoring = { Authorization: `Bearer ${metricsToken}` };
const env: Record<string, string> = {
  ...newSecrets(),
  METRICS_TOKEN: metricsToken,
  LOG_LEVEL: 'info',
  WORKERS: '2',
  DATABASE_POOL_SIZE: '4',
};
let observer: TestPlatform;
let account: SeededAccount;
let server: ServerProcess;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, jobs: false });
  account = await (await seedPartner(observer)).account();
  server = await startServerProcess(env);
});
afterAll(async () => {
  await server?.kill();
  await observer?.close();
});

/** The children of the primary process. */
function workers(): number[] {
  const pid = server.process.pid ?? 0;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** The lines of the log that are complete. */
function lines(): { pid: number; msg: string; route?: string }[] {
  return server
    .output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** One call on a connection of its own, which either worker accepts. */
async function callAlone(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, { headers: { ...headers, Connection: 'close' } });
}

async function requestsCounted(): Promise<number> {
  const text = await (await callAlone('/metrics', monitoring)).text();
  return Number(/_seconds_count\{[^}]*operation="GET \/idp\/jwks"[^}]*\} (\d+)/.exec(text)?.[1]);
}

/** Calls once more, and returns the workers that run and have answered such a call. */
async function servedBy(path: string, headers?: Record<string, string>): Promise<Set<number>> {
  await callAlone(path, headers);
  const running = workers();
  return new Set(lines().flatMap(({ pid, route }) => (route === path && running.includes(pid) ? [pid] : [])));
}

test('two processes serve one port; either answers with the metrics of both', async () => {
  const before = workers();
  expect(before).toHaveLength(2);
  for (let call = 0; call < 8; call++) expect((await callAlone('/idp/jwks')).status).toBe(200);
  await expect.poll(requestsCounted).toBe(8);
  while ((await servedBy('/metrics', monitoring)).size < 2) expect(await requestsCounted()).toBe(8);
  await expect.poll(() => servedBy('/idp/jwks')).toEqual(new Set(before));
});

test('kill -9 of a worker among charges: no key is charged twice, the others go on, and it is replaced', async () => {
  const { id: paymentInstrumentId } = await account.instrument();
  const victim = workers()[0] ?? 0;
  const api = clientOf(server, account.subKey);
  const charge = (key: string, amount: number) =>
    api.call(
      '/payments/process',
      { paymentInstrumentId, amount, currency: 'USD' },
      { headers: { 'Idempotency-Key': key, Connection: 'close' } },
    );
  const keys = Array.from({ length: 24 }, (_, index) => `among-${index}`);

  const answers = keys.map((key) => charge(key, 500).catch(() => null));
  await Promise.race(answers);
  process.kill(victim, 'SIGKILL');
  const first = await Promise.all(answers);
  // A charge that was cut off is answered, or refused as long as its outcome is not known.
  const again = await Promise.all(keys.map((key) => charge(key, 500)));
  for (const [index, answer] of again.entries()) {
    expect([200, 409]).toContain(answer.status);
    if (first[index]?.status === 200) expect(answer.body.payment.id).toBe(first[index]?.body.payment.id);
  }
  expect((await charge('after', 700)).status).toBe(200);
  const { rows } = await asOwner<{ charges: number; keys: number }>(
    observer,
    `SELECT count(*)::int AS charges, (SELECT count(*)::int FROM payments WHERE amount = 500) AS keys
      FROM test_processor.charges
      WHERE amount = 500`,
  );
  expect(rows[0]?.keys).toBeLessThanOrEqual(keys.length);
  expect(rows[0]?.charges).toBeLessThanOrEqual(keys.length);
  await expect.poll(() => workers().filter((pid) => pid !== victim), { timeout: 20_000 }).toHaveLength(2);
  const replaced = () => lines().filter(({ msg }) => msg === 'A worker has ended. It is replaced.');
  await expect.poll(replaced).toHaveLength(1);
});

test('calls while a worker is stopped and then killed are answered by the other', async () => {
  await expect.poll(() => servedBy('/idp/jwks'), { timeout: 20_000 }).toEqual(new Set(workers()));
  const [victim = 0] = workers();
  process.kill(victim, 'SIGSTOP');
  const answers = Array.from({ length: 8 }, async () => (await callAlone('/idp/jwks')).status);
  await Promise.race(answers);
  process.kill(victim, 'SIGKILL');
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
  await expect.poll(() => workers().filter((pid) => pid !== victim), { timeout: 20_000 }).toHaveLength(2);
});

test('SIGTERM ends all processes, with one line that says so', async () => {
  const ended = workers();
  expect(await server.stop()).toMatchObject({ code: 0, signal: null });
  for (const pid of ended) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(lines().filter(({ msg }) => msg === 'The platform has stopped.')).toHaveLength(1);
});

test('STOP_DELAY_MS: each worker is 503 draining and answers calls for that time, then all end with status 0', async () => {
  const stopDelayMs = 3_000;
  server = await startServerProcess({ ...env, STOP_DELAY_MS: String(stopDelayMs) });
  const both = new Set(workers());
  const stopped = server.stop();
  const ready = async () => (await callAlone('/health/ready')).json();
  await expect.poll(ready).toEqual({ status: 'unavailable', cause: 'draining' });
  // A health check that fails is in the log, by which the worker is known.
  while ((await servedBy('/health/ready')).size < 2) expect((await callAlone('/idp/jwks')).status).toBe(200);
  expect(await ready()).toEqual({ status: 'unavailable', cause: 'draining' });
  expect(new Set(workers())).toEqual(both);
  const { code, signal, afterMs } = await stopped;
  expect([code, signal]).toEqual([0, null]);
  expect(afterMs).toBeGreaterThanOrEqual(stopDelayMs);
});

test('a worker that cannot start ends the whole with its sentence, once', async () => {
  // The port of the observer, in this process.
  const failing = launchServer({ ...env, PORT: new URL(observer.url).port });
  expect(await failing.exited).toEqual({ code: 1, signal: null });
  expect(failing.output().match(/another program listens there already/g)).toHaveLength(1);
  expect(failing.output()).not.toContain('It is replaced');
});

test('five ends of workers within a minute end the whole with status 1', async () => {
  server = await startServerProcess(env);
  const killed: number[] = [];
  const running = () => workers().filter((pid) => !killed.includes(pid));
  while (killed.length < 5) {
    await expect.poll(running).not.toEqual([]);
    const [victim = 0] = running();
    killed.push(victim);
    process.kill(victim, 'SIGKILL');
  }
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.output()).toContain('Stopping after 5 ends of workers within a minute');
});

/** The clock of a process and of its workers, off by so many milliseconds. */
const clockOff = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(
    `const Right=Date;globalThis.Date=class extends Right{constructor(...given){super(...(given.length>0?given:[Date.now()]))}` +
      `static now(){return Right.now()+${ms}}}`,
  )}`;

test.each([
  ['ahead of', 10_800_000],
  ['behind', -10_800_000],
])('three hours %s the database, each worker is not ready, says so, and runs no job', async (direction, ms) => {
  const { cookie } = await signedIn(observer, { platformRoles: ['superadmin'] });
  server = await startServerProcess({ ...env, NODE_OPTIONS: `--import=${clockOff(ms)}` });
  try {
    const both = new Set(workers());
    expect(both.size).toBe(2);
    const answers = Array.from({ length: 8 }, async () => {
      const response = await callAlone('/health/ready');
      return [response.status, await response.json()];
    });
    const sentence = expect.stringMatching(`^The clock of this server is 3\\.0 hours ${direction} the database's\\.$`);
    for (const answer of await Promise.all(answers))
      expect(answer).toEqual([503, { status: 'unavailable', cause: 'clock', message: sentence }]);
    const pidsOf = (wanted: (line: ReturnType<typeof lines>[number]) => boolean) =>
      new Set(lines().flatMap((line) => (wanted(line) ? [line.pid] : [])));
    await expect.poll(() => servedBy('/health/ready')).toEqual(both);
    expect(pidsOf(({ msg }) => msg.includes('is not ready and runs no jobs: synchronize its clock.'))).toEqual(both);
    const jobs = async (): Promise<{ runs: number; lastError: string | null }[]> => {
      const body = JSON.stringify({ query: '{ jobs(mode: test) { runs lastError } }' });
      const headers = { 'Content-Type': 'application/json', Cookie: cookie, Connection: 'close' };
      const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body });
      return (await response.json()).data.jobs;
    };
    // Either worker answers about itself.
    for (let call = 0; call < 4 || pidsOf(({ route }) => route === '/graphql').size < 2; call++) {
      await expect
        .poll(async () => (await jobs()).every(({ lastError }) => lastError?.startsWith('Not run: ')))
        .toBe(true);
      expect((await jobs()).filter(({ runs }) => runs > 0)).toEqual([]);
    }
    await expect.poll(() => pidsOf(({ route }) => route === '/graphql')).toEqual(both);
  } finally {
    await server.stop();
  }
});

test.each(['0', '65', '1.5', 'all'])('WORKERS=%s is refused with what is allowed', (given) => {
  expect(() => loadConfig({ WORKERS: given })).toThrow('it must be a whole number from 1 to 64, or auto');
});

test.each(['1', '64', 'auto'])('WORKERS=%s is taken', (given) => {
  expect(loadConfig({ ...env, NODE_ENV: 'test', WORKERS: given }).workers).toBeGreaterThan(0);
});
