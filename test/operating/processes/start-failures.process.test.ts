import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { binariesOf, initializeData, postgresUser } from '../../../src/local/postgres-programs.ts';
import { createLog } from '../../../src/observability/log.ts';
import { describeFailure } from '../../../src/runtime/failures.ts';
import { ConfigError } from '../../../src/settings/config.ts';
import { localSecrets } from '../../../src/settings/secrets.ts';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { freePort } from '../../support/ports.ts';
import { programEnv } from '../../support/program-env.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const dir = mkdtempSync(join(tmpdir(), 'platform-failures-'));
let closedPort: number;
let databaseUrl: string;

beforeAll(async () => {
  closedPort = await freePort();
  databaseUrl = await freshDatabase();
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await dropDatabase(databaseUrl);
});

interface Ended {
  code: number | null;
  errors: string;
  output: string;
}

/** Runs a program of `package.json` as its script does, in development. */
function run(program: string, args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, 'src', program), ...args], {
    cwd: root,
    env: { ...programEnv, NODE_ENV: 'development', PLATFORM_DIR: dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  let output = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, errors, output })));
}

/** Data as PostgreSQL 15 would have left them, as far as a start looks. */
async function initializeOlder(data: string): Promise<void> {
  const { initdb, postgres } = await binariesOf();
  await initializeData(data, 'a password', initdb, await postgresUser([dirname(data), postgres]));
  writeFileSync(join(data, 'PG_VERSION'), '15\n');
}

describe('a start or command that fails exits with 1 and one sentence', () => {
  const refused = (): Record<string, string> => ({
    DATABASE_URL: `postgresql://platform:hunter2@127.0.0.1:${closedPort}/payments`,
  });
  const unreachable = (setting: string): string =>
    `The database of ${setting}, 127.0.0.1:${closedPort}/payments, cannot be used: nothing listens there; start it. ` +
    `Correct ${setting} or the database.\n`;

  test.each([
    ['main.ts', []],
    ['cli/migrate.ts', []],
    ['cli/partner-key.ts', ['acme', '--mode', 'test']],
    ['cli/superadmin.ts', ['you@example.com']],
    ['cli/ledger-verify.ts', []],
    ['cli/audit-verify.ts', []],
  ])('%s, when DATABASE_URL is not reachable', async (program, args) => {
    expect(await run(program, args, refused())).toEqual({ code: 1, errors: unreachable('DATABASE_URL'), output: '' });
  });

  test('the one of MIGRATION_DATABASE_URL is named by its own setting', async () => {
    const env = { DATABASE_URL: databaseUrl, MIGRATION_DATABASE_URL: refused()['DATABASE_URL'] ?? '' };
    expect((await run('cli/migrate.ts', [], env)).errors).toBe(unreachable('MIGRATION_DATABASE_URL'));
  });

  test('main.ts, when PORT is taken, before a first start makes a database', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo; // of a server that listens on TCP
    const platformDir = join(dir, 'first');
    const { code, errors, output } = await run('main.ts', [], { PLATFORM_DIR: platformDir, PORT: `${port}` });
    taken.close();
    expect([code, errors, output]).toEqual([
      1,
      `PORT is ${port}, and another program listens there already; stop it or choose another PORT.\n`,
      '',
    ]);
    expect(existsSync(join(platformDir, 'postgres'))).toBe(false);
  });

  test('main.ts, when the data are of another version of PostgreSQL', async () => {
    const platformDir = join(dir, 'older');
    const data = join(platformDir, 'postgres');
    localSecrets(platformDir);
    await initializeOlder(data);
    const { code, errors } = await run('main.ts', [], { PLATFORM_DIR: platformDir, PORT: `${await freePort()}` });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^The embedded PostgreSQL did not start on .*: The data directory was initialized by .* 15, /,
    );
    expect(errors.trim().split('\n')).toHaveLength(1);
  });

  test('main.ts, when secrets.json was removed and the database made with its keys is there', async () => {
    const platformDir = join(dir, 'without-secrets');
    mkdirSync(join(platformDir, 'postgres'), { recursive: true });
    writeFileSync(join(platformDir, 'postgres', 'PG_VERSION'), '18\n');
    const { code, errors } = await run('main.ts', [], { PLATFORM_DIR: platformDir });
    expect([code, errors]).toEqual([
      1,
      `${join(platformDir, 'secrets.json')} is missing, and the database in ${join(platformDir, 'postgres')} was made ` +
        'with the keys in it. Put a copy of the file back; or, to begin with an empty database, move that folder away.\n',
    ]);
    expect(existsSync(join(platformDir, 'secrets.json'))).toBe(false);
  });

  test('main.ts, when PLATFORM_DIR cannot be written', async () => {
    writeFileSync(join(dir, 'file'), '');
    const platformDir = join(dir, 'file', 'data');
    const { code, errors } = await run('main.ts', [], { PLATFORM_DIR: platformDir });
    expect(code).toBe(1);
    expect(errors).toBe(
      `${platformDir} cannot be written: a part of the path is no folder. The platform keeps its data in ` +
        'PLATFORM_DIR, ' +
        `which is ${platformDir}; set it to a folder that this user may write.\n`,
    );
  });

  test('cli/audit-verify.ts, when there is no database', async () => {
    const { code, errors } = await run('cli/audit-verify.ts', [], {});
    expect([code, errors]).toEqual([1, expect.stringMatching(/^There is no database in PLATFORM_DIR, .*\n$/)]);
  });

  test.each([
    ['no demo', undefined, [], /^There is no demo platform in PLATFORM_DIR, .*`npm start`.*--secret\.\n$/],
    [
      'no server',
      true,
      [],
      /^The platform does not answer at http:\/\/127\.0\.0\.1:\d+: start it with `npm start`\.\n$/,
    ],
    [
      'no such port',
      true,
      ['--port', '70000'],
      /^--port is "70000"; it must be a whole number from 1 to 65535\.\n\nReceives webhooks/,
    ],
  ])('cli/webhook-listen.ts, with %s', async (_title, hasDemo, args, sentence) => {
    const platformDir = mkdtempSync(join(dir, 'demo-'));
    mkdirSync(platformDir, { recursive: true });
    const demo = { baseUrl: `http://127.0.0.1:${closedPort}`, partnerKeys: { test: 'tp_sk_partner_test_x' } };
    if (hasDemo) writeFileSync(join(platformDir, 'demo.json'), JSON.stringify(demo));
    const port = args.length === 0 ? ['--port', String(await freePort())] : args;
    const { code, errors } = await run('cli/webhook-listen.ts', port, { PLATFORM_DIR: platformDir });
    expect([code, errors]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

describe('a command of package.json that has arguments it does not take', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = Object.entries(scripts).flatMap(([name, script]) => {
    const [, program] = /^node src\/(cli\/[\w-]+\.ts)$/.exec(script) ?? [];
    return program === undefined ? [] : [[name, program] as const];
  });

  test('are all of them', () => expect(commands.length).toBeGreaterThan(10));

  test.each(
    commands,
  )('%s: exits with 1, names it, prints its usage, and does nothing; --help prints the same', async (_name, program) => {
    const empty = mkdtempSync(join(dir, 'empty-'));
    const none = { PLATFORM_DIR: empty };
    const { code, errors } = await run(program, ['--nonsense'], none);
    const help = await run(program, ['--help'], none);
    expect(help).toMatchObject({ code: 0, errors: '' });
    expect(help.output).toMatch(/^[A-Z].*\.\n(.*\n)*\n {2}npm run /);
    expect([code, errors]).toEqual([1, `Unknown option '--nonsense'.\n\n${help.output}`]);
    expect((await run(program, ['a', 'b', 'c'], none)).errors).toMatch(/^There is no use for [abc]\.\n\n/);
    expect(readdirSync(empty)).toEqual([]);
  });
});

describe('the sentence', () => {
  const failureOf = async (url: URL): Promise<unknown> => {
    const opened = openDatabase({ url: url.href, poolSize: 1, log: createLog({ level: 'silent' }) });
    return opened.then(
      ({ close }) => close(),
      (error: unknown) => error,
    );
  };
  const changed = (change: (url: URL) => void): URL => {
    const url = new URL(databaseUrl);
    change(url);
    return url;
  };

  test.each([
    ['a wrong password', (url: URL) => (url.password = 'hunter2'), 'the name or the password of the role is wrong'],
    ['no such database', (url: URL) => (url.pathname = '/hunter3'), 'it has no such database; create it'],
    ['an unknown host', (url: URL) => (url.hostname = 'db.invalid'), /there is no host of this name|be resolved/],
  ])('names the setting, the database and the reason: %s', async (_title, change, reason) => {
    const url = changed(change);
    const error = await failureOf(url);
    expect(error).toBeInstanceOf(ConfigError);
    const sentence = describeFailure(error, {});
    expect(sentence).toContain(`The database of DATABASE_URL, ${url.host}${url.pathname}, cannot be used: `);
    expect(sentence).toMatch(reason);
    expect(sentence).not.toContain('hunter2');
  });

  test('names PLATFORM_DIR for a read-only folder', () => {
    const error = Object.assign(new Error('Unknown error'), {
      code: 'EROFS',
      path: '/data/secrets.json',
      syscall: 'open',
    });
    expect(describeFailure(error, { PLATFORM_DIR: '/data' })).toBe(
      '/data/secrets.json cannot be written: it is on a read-only file system. The platform keeps its data in ' +
        'PLATFORM_DIR, which is /data; set it to a folder that this user may write.',
    );
  });

  test('hides the stack of a fault without LOG_LEVEL=debug, and secrets always', () => {
    const fault = new Error('no tp_sk_test_AAAAAAAABBBBBBBB in postgresql://u:hunter2@db/x');
    expect(describeFailure(fault, {})).toBe(
      'no tp_sk_test_AAAAAAAA[redacted] in postgresql://u:[redacted]@db/x. LOG_LEVEL=debug shows where this happened.',
    );
    const withStack = describeFailure(fault, { LOG_LEVEL: 'debug' });
    expect(withStack).toContain('start-failures.process.test.ts');
    expect(withStack).not.toContain('hunter2');
  });
});
