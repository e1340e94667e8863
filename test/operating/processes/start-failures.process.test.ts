// guards: src/main.ts src/server.ts src/runtime src/settings src/local src/cli src/operating src/database
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** Runs a program in development. */
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
    ['cli/platform.ts', ['migrate']],
    ['cli/platform.ts', ['partner-key', 'acme', '--mode', 'test']],
    ['cli/platform.ts', ['superadmin', 'you@example.com']],
    ['cli/platform.ts', ['verify', 'ledger']],
    ['cli/platform.ts', ['verify', 'audit']],
  ])('%s %j, when DATABASE_URL is not reachable', async (program, args) => {
    expect(await run(program, args, refused())).toEqual({ code: 1, errors: unreachable('DATABASE_URL'), output: '' });
  });

  test('the one of MIGRATION_DATABASE_URL is named by its own setting', async () => {
    const env = { DATABASE_URL: databaseUrl, MIGRATION_DATABASE_URL: refused()['DATABASE_URL'] ?? '' };
    expect((await run('cli/platform.ts', ['migrate'], env)).errors).toBe(unreachable('MIGRATION_DATABASE_URL'));
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

  test('platform verify audit, when there is no database', async () => {
    const { code, errors } = await run('cli/platform.ts', ['verify', 'audit'], {});
    expect([code, errors]).toEqual([1, expect.stringMatching(/^There is no database in PLATFORM_DIR, .*\n$/)]);
  });

  test.each([
    ['no demo', false, /^There is no demo platform in PLATFORM_DIR, .*`npm start`.*--secret\.\n$/],
    ['no server', true, /^The platform does not answer at http:\/\/127\.0\.0\.1:\d+: start it with `npm start`\.\n$/],
  ])('platform listen, with %s', async (_title, hasDemo, sentence) => {
    const platformDir = mkdtempSync(join(dir, 'demo-'));
    mkdirSync(platformDir, { recursive: true });
    const demo = { baseUrl: `http://127.0.0.1:${closedPort}`, partnerKeys: { test: 'tp_sk_partner_test_x' } };
    if (hasDemo) writeFileSync(join(platformDir, 'demo.json'), JSON.stringify(demo));
    const args = ['listen', '--port', String(await freePort())];
    const { code, errors } = await run('cli/platform.ts', args, { PLATFORM_DIR: platformDir });
    expect([code, errors]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

describe('a wrong command line exits with 2, one sentence, and does nothing', () => {
  const empty = (): Record<string, string> => ({ PLATFORM_DIR: mkdtempSync(join(dir, 'empty-')) });
  const platform = (args: readonly string[], env = empty()): Promise<Ended> => run('cli/platform.ts', args, env);

  test.each([
    [['backups'], "Unknown command 'backups'. Did you mean backup?"],
    [['nonsense'], "Unknown command 'nonsense'. `platform --help` lists the commands."],
    [['keys', 'checks'], "Unknown command 'checks'. Did you mean check?"],
    [['backup'], "Missing required argument 'folder'."],
    [['backup', 'a', 'b'], "Too many arguments for 'backup'. Expected 1 argument but got 2: a, b."],
    [['restore', 'a', '--checks'], "Unknown option '--checks'. Did you mean --check?"],
    [['keys', 'check', '--lost'], "Unknown option '--lost'."],
    [
      ['superadmin', 'unknown'],
      "Command-argument value 'unknown' is invalid for argument 'email'. It must be an email address.",
    ],
    [
      ['listen', '--port', '0'],
      "Option '--port <port>' argument '0' is invalid. It must be a whole number from 1 to 65535.",
    ],
    [
      ['listen', '--port', '65536'],
      "Option '--port <port>' argument '65536' is invalid. It must be a whole number from 1 to 65535.",
    ],
  ])('%j', async (args, sentence) => {
    const env = empty();
    expect(await platform(args, env)).toEqual({ code: 2, errors: `${sentence}\n`, output: '' });
    expect(readdirSync(env['PLATFORM_DIR'] ?? '')).toEqual([]);
  });

  test('without a command: the help, on standard error', async () => {
    const { output } = await platform(['--help']);
    expect(await platform([])).toEqual({ code: 2, errors: output, output: '' });
  });

  test('as JSON where the log is JSON', async () => {
    const { errors } = await platform(['backups'], { ...empty(), LOG_FORMAT: 'json' });
    expect(JSON.parse(errors)).toMatchObject({
      level: 'error',
      msg: "Unknown command 'backups'. Did you mean backup?",
    });
  });

  test('every command refuses an unknown option, and prints its help with 0', { timeout: 120_000 }, async () => {
    const seen: string[] = [];
    const visit = async (path: readonly string[]): Promise<void> => {
      const help = await platform([...path, '--help']);
      expect(help, path.join(' ')).toMatchObject({ code: 0, errors: '' });
      const isGroup = /[[<]command[\]>]/.test(help.output);
      const names = isGroup ? [...help.output.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map(([, name = '']) => name) : [];
      for (const name of names) await visit([...path, name]);
      if (isGroup) return;
      seen.push(path.join(' '));
      const needed = path[0] === 'partner-key' ? ['--mode', 'test'] : [];
      expect(await platform([...path, ...needed, '--nonsense']), path.join(' ')).toEqual({
        code: 2,
        errors: "Unknown option '--nonsense'.\n",
        output: '',
      });
    };
    await visit([]);
    expect(seen.length).toBeGreaterThan(20);
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
