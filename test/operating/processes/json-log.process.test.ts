// guards: src/observability src/main.ts src/server.ts src/workers.ts src/runtime src/local src/cli
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { freePort } from '../../support/ports.ts';
import { programEnv } from '../../support/program-env.ts';
import { launchServer, type ServerProcess } from '../../support/server-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const env: Record<string, string> = {
  VAULT_KEYS: `new:${randomBytes(32).toString('base64')},old:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  LOG_FORMAT: 'json',
  LOG_LEVEL: 'info',
};
let server: ServerProcess | undefined;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
});
afterEach(() => server?.kill());
afterAll(() => dropDatabase(env['DATABASE_URL'] ?? ''));

interface Line {
  level: string;
  msg: string;
  [field: string]: unknown;
}

/** The complete lines. Throws if one of them is not JSON. */
function linesOf({ output }: ServerProcess): Line[] {
  return output()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** Starts a server, and waits until its log says that it has started. */
async function start(given: Record<string, string> = {}): Promise<ServerProcess> {
  server = launchServer({ ...env, PORT: String(await freePort()), ...given });
  await wait(server, 'The platform has started.');
  return server;
}

function wait(running: ServerProcess, msg: string): Promise<void> {
  return expect.poll(() => linesOf(running).map((line) => line.msg), { timeout: 50_000 }).toContain(msg);
}

test('LOG_FORMAT=json: each line of a start, a call and a stop is JSON; one names version, role, pool and keys', async () => {
  const running = await start();
  expect((await fetch(`${running.url}/idp/jwks`)).status).toBe(200);
  expect(await running.stop()).toMatchObject({ code: 0 });
  const lines = linesOf(running);
  const started = lines.filter(({ msg }) => msg === 'The platform has started.');
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(started).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      msg: 'The platform has started.',
      version,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      url: running.url.replace('127.0.0.1', 'localhost'),
      databaseRole: expect.stringMatching(/\w/),
      databasePoolSize: expect.any(Number),
      workers: 1,
      keys: ['VAULT_KEYS:new', 'VAULT_KEYS:old', 'FINGERPRINT_KEY', 'IDP_SECRET'],
    },
  ]);
  expect(lines.at(-1)?.msg).toBe('The platform has stopped.');
  for (const secret of [env['FINGERPRINT_KEY'], env['IDP_SECRET']]) expect(running.output()).not.toContain(secret);
});

test('the line of a start has the commit of PLATFORM_COMMIT', async () => {
  const commit = 'c'.repeat(40);
  const running = await start({ PLATFORM_COMMIT: commit });
  expect(linesOf(running).find(({ msg }) => msg === 'The platform has started.')).toMatchObject({ commit });
  await running.stop();
});

test.each([
  ['a setting is wrong', { PORT: 'none' }, /^PORT is "none"/],
  [
    'the commit is none',
    { PLATFORM_COMMIT: 'main' },
    /^PLATFORM_COMMIT is "main"; it must be the 40 digits of a commit/,
  ],
  [
    'the database is away',
    { DATABASE_URL: 'postgresql://a@127.0.0.1:1/b', MIGRATION_DATABASE_URL: '' },
    /^The database/,
  ],
])('LOG_FORMAT=json: a start that fails because %s ends with one JSON line of level fatal', async (_why, wrong, sentence) => {
  server = launchServer({ ...env, ...wrong });
  expect(await server.exited).toMatchObject({ code: 1 });
  expect(linesOf(server)).toEqual([{ level: 'fatal', time: expect.any(String), msg: expect.stringMatching(sentence) }]);
});

test('LOG_FORMAT=json: an interrupted start ends with status 0, and its sentence is JSON', async () => {
  server = launchServer({ ...env, WORKERS: '2', PORT: String(await freePort()) });
  const pid = server.process.pid ?? 0;
  // The workers are there before the start is complete.
  await expect
    .poll(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim(), { timeout: 50_000, interval: 5 })
    .not.toBe('');
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(linesOf(server).at(-1)?.msg).toBe('The start was interrupted by SIGTERM.');
});

test('LOG_FORMAT=json: an error that nothing handles, and a warning of Node, are JSON', async () => {
  // Once the server listens for what nothing handles.
  const faults =
    `const fail = () => { throw new Error('a fault') };` +
    `const warn = () => { process.emitWarning('a warning'); setImmediate(fail) };` +
    `process.on('newListener', (name) => name === 'uncaughtException' && setImmediate(warn))`;
  server = launchServer({
    ...env,
    PORT: String(await freePort()),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(faults)}`,
  });
  expect(await server.exited).toMatchObject({ code: 1 });
  expect(linesOf(server)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'error', msg: 'a warning' }),
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'a fault' }) }),
    ]),
  );
});

test('LOG_FORMAT=json: what a worker writes as text before it is killed is JSON of the primary', async () => {
  const chatter = `import cluster from 'node:cluster'; if (cluster.isWorker) process.stderr.write('plain text\\n')`;
  const running = await start({
    WORKERS: '2',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(chatter)}`,
  });
  const pid = running.process.pid ?? 0;
  const [victim = 0] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  process.kill(victim, 'SIGKILL');
  await wait(running, 'A worker has ended. It is replaced.');
  expect(await running.stop()).toMatchObject({ code: 0 });
  expect(linesOf(running)).toContainEqual(expect.objectContaining({ msg: 'plain text', worker: victim }));
});

test('LOG_FORMAT=json: the failure of a command is one JSON line on standard error', async () => {
  const command = spawn(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), 'migrate'], {
    env: { ...programEnv, ...env, NODE_ENV: 'test', PORT: 'none' },
  });
  const [errors] = await Promise.all([text(command.stderr), once(command, 'close')]);
  expect(JSON.parse(errors)).toMatchObject({ level: 'error', msg: expect.stringMatching(/^PORT is "none"/) });
});
