// guards: docs/self-hosting docs/guides/people.md src/cli src/main.ts src/settings/load-config.ts
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withDatabase } from '../../../src/local/postgres-programs.ts';
import { answersOf, shellBlocks } from '../../support/documents.ts';
import { type PackagedPostgres, startPackagedPostgres } from '../../support/packaged-postgres.ts';
import { freePort } from '../../support/ports.ts';

// What an operator does who has the pages of docs/self-hosting alone: every command of them, in one shell, from empty
// folders. `psql` is a program that sends its input to the server of the test.
const root = join(import.meta.dirname, '..', '..', '..');

let folder: string;
let programs: string;
let postgres: PackagedPostgres;
let env: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'platform-self-hosting-'));
  programs = join(folder, 'bin');
  postgres = await startPackagedPostgres(join(folder, 'postgres'));
  const superuserUrl = withDatabase(postgres.url, 'postgres');
  mkdirSync(programs);
  program('sudo', '#!/bin/sh\n[ "$1 $2" = "-u postgres" ] || exit 1\nshift 2\nexec "$@"\n');
  program(
    'psql',
    `#!/usr/bin/env node
const pg = require(${JSON.stringify(join(root, 'node_modules', 'pg'))});
const client = new pg.Client({ connectionString: process.env.SUPERUSER_URL });
const statements = require('node:fs').readFileSync(0, 'utf8').split(/;\\n/).filter((text) => text.trim() !== '');
client.connect().then(async () => {
  for (const statement of statements) await client.query(statement);
  await client.end();
});
`,
  );
  env = {
    PATH: `${programs}:${join(root, 'node_modules', '.bin')}:${process.env['PATH']}`,
    HOME: folder,
    SUPERUSER_URL: superuserUrl,
    ETC: join(folder, 'etc'),
    PLATFORM_DIR: join(folder, 'lib'),
    BACKUPS: join(folder, 'backups'),
    DATABASE_HOST: new URL(postgres.url).host,
    PORT: String(await freePort()),
  };
});
afterEach(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, text: string): void {
  writeFileSync(join(programs, name), text);
  chmodSync(join(programs, name), 0o755);
}

/** Pastes blocks into one shell, which stops at the first that fails, and returns what each printed. */
async function paste(blocks: readonly string[]): Promise<string[]> {
  const border = '----- end of a block -----';
  const shell = spawn('bash', ['-eu', '-o', 'pipefail'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    shell[name].on('data', (text: Buffer) => (streams[name] += text.toString()));
  const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
  // Whatever fails, the server ends with the shell.
  const atEnd = `trap '[ -z "\${SERVER:-}" ] || kill $SERVER 2> /dev/null || true' EXIT`;
  shell.stdin.end([atEnd, ...blocks.flatMap((block) => [block, `echo '${border}'`])].join('\n'));
  const code = await ended;
  const log = join(folder, 'lib', 'platform.log');
  const logged = existsSync(log) ? readFileSync(log, 'utf8').slice(-3_000) : '';
  expect([code, code === 0 ? '' : `${streams.stdout}\n${streams.stderr}\n${logged}`]).toEqual([0, '']);
  return streams.stdout.split(`${border}\n`).slice(0, -1);
}

/** The blocks of the page, with those of the other page at the place that it names. */
function insert(blocks: readonly string[], at: string, other: readonly string[], replaced: 0 | 1): string[] {
  const place = blocks.findIndex((block) => block.includes(at));
  if (place < 0) throw new Error(`No block has ${at}.`);
  return blocks.toSpliced(place + 1 - replaced, replaced, ...other);
}

test.each([
  ['one database', false],
  ['a second database for the vault', true],
])(
  'with %s: install, charge, back up, lose the data, restore, prove it, rotate every secret, charge the card again',
  {
    timeout: 900_000,
  },
  async (_form, isApart) => {
    let install = shellBlocks('docs/self-hosting/install.md');
    let backup = shellBlocks('docs/self-hosting/backup-and-restore.md');
    if (isApart) {
      const blocks = shellBlocks('docs/self-hosting/database.md');
      const restore = blocks.filter((block) => block.includes('platform_vault_before'));
      expect([blocks.length, restore.length]).toEqual([4, 1]);
      install = insert(
        install,
        'npx platform migrate',
        blocks.filter((block) => !restore.includes(block)),
        1,
      );
      backup = insert(backup, 'platform_before', restore, 0);
    }
    const start = install.filter((block) => block.includes('npm start'));
    const stop = install.filter((block) => block.includes('kill $SERVER'));
    const charge = install.filter((block) => block.includes('/payments/process'));
    expect([start.length, stop.length, charge.length]).toEqual([1, 1, 1]);
    const again = (charge[0] ?? '').split('\n').filter((line) => line.includes('/payments/process'));
    const secrets = shellBlocks('docs/self-hosting/secrets.md');
    const printed = await paste([...install, ...backup, ...secrets, ...start, ...again, ...stop]);
    const text = printed.join('\n');

    expect(text).toContain('Made vault_keys, fingerprint_key, audit_keys, idp_secret');
    expect(text).toMatch(
      /Open this link within seven days to become a superadmin.*\nhttp:\/\/localhost:\d+\/idp\/accept/,
    );
    const answers = answersOf(printed.flatMap((part) => part.match(/^\{"payment":.*$/gm) ?? []).join('\n'));
    expect(answers).toMatchObject([
      { payment: { status: 'succeeded', capturedAmount: 2500 } },
      { payment: { status: 'succeeded', capturedAmount: 2500 } },
    ]);
    // Each ended with 0, or the shell would have stopped: before the loss and after the restore.
    for (const proof of ['platform verify ledger', 'platform verify audit', 'platform keys check'])
      for (const page of [install, backup]) expect(page.join('\n')).toContain(proof);
    expect(readFileSync(join(folder, 'lib', 'platform.log'), 'utf8')).not.toContain('owns the tables');
    expect(readFileSync(join(folder, 'lib', 'ready.json'), 'utf8')).toBe('{"status":"ok"}');
    const cardsIn = async (name: string): Promise<number> => {
      const client = new pg.Client({ connectionString: withDatabase(postgres.url, name) });
      await client.connect();
      const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM vault.cards');
      await client.end();
      return rows[0]?.n ?? -1;
    };
    if (isApart) expect([await cardsIn('platform'), await cardsIn('platform_vault')]).toEqual([0, 1]);
    else expect(await cardsIn('platform')).toBe(1);
  },
);
