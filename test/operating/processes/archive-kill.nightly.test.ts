// guards: src/cli/archive.ts src/cli/audit-verify.ts src/database/archive src/people/audit docs/self-hosting/archive.md
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readArchive, readAuditArchive } from '../../../src/database/archive/read-archive.ts';
import { verifyArchive } from '../../../src/database/archive/verify-archive.ts';
import { parserOf } from '../../../src/database/database.ts';
import { openAuditKeys } from '../../../src/keys/audit-keys.ts';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { verifyAudit } from '../../../src/people/audit/verify-audit.ts';
import { addAuditRow, addEvents, archiveAt } from '../../support/archive.ts';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { programEnv } from '../../support/program-env.ts';

const script = join(import.meta.dirname, '..', '..', 'support', 'archive-until-killed.ts');
const ring = `test:${randomBytes(32).toString('base64')}`;
const keys = openAuditKeys(ring);
const now = new Date('2026-12-10T12:00:00Z');
const events = 4_500;

let url: string;
let dir: string;
let owner: pg.Client;
let ids: string[];

beforeEach(async () => {
  url = await freshDatabase();
  dir = mkdtempSync(join(tmpdir(), 'platform-archive-'));
  owner = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } });
  await owner.connect();
  // Two thousand rows are removed at once: the last step before the end is reached with some of them removed.
  ids = await addEvents(owner, new Date('2026-09-01T00:00:00Z'), events);
  ids.push(...(await addEvents(owner, new Date('2026-11-01T00:00:00Z'), 2)));
  for (const at of ['2026-09-01T00:00:00Z', '2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'])
    await addAuditRow(owner, new Date(at), keys);
});
afterEach(async () => {
  await owner.end();
  await dropDatabase(url);
  rmSync(dir, { recursive: true });
});

const archive = () => archiveAt(now, { ownerUrl: url, dir }, keys);

async function idsInArchive(kind: 'events' | 'audit'): Promise<string[]> {
  const found: string[] = [];
  for await (const line of readArchive(dir, { kind })) found.push(JSON.parse(line).id);
  return found;
}

async function idsOf(table: string): Promise<string[]> {
  return (await owner.query<{ id: string }>(`SELECT id FROM ${table}`)).rows.map(({ id }) => id);
}

/**
 * Every event is in the archive or in the database and in one of them only; files and chain verify; the total is right.
 */
async function expectNothingLost(): Promise<void> {
  const [archived, kept] = [await idsInArchive('events'), await idsOf('events')];
  expect(kept).toHaveLength(2);
  expect([...archived, ...kept].sort()).toEqual([...ids].sort());
  const { rows } = await owner.query(`SELECT sum(n)::int AS n FROM counters.row_counts WHERE relation = 'events'`);
  expect(rows).toEqual([{ n: 2 }]);
  expect(await verifyArchive(owner, dir)).toMatchObject({ files: 3, problems: [] });
  const audits = await idsInArchive('audit');
  expect(audits).toHaveLength(3);
  expect(new Set([...audits, ...(await idsOf('audit_rows'))]).size).toBe(3 + 1 + 3);
  expect(await verifyAudit(owner, keys, [], readAuditArchive(dir))).toMatchObject({ ok: true, rows: 7 });
  expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
}

test('without a kill, both months are moved, and another run finds nothing', async () => {
  expect(await archive()).toEqual([
    { name: 'events-test-2026-09-1', rows: events },
    { name: 'audit-2026-09-1', rows: 2 },
    { name: 'audit-2026-10-1', rows: 1 },
  ]);
  await expectNothingLost();
  expect(await archive()).toEqual([]);
});

test.each([
  'planned events-test-2026-09-1',
  'stored events-test-2026-09-1',
  'verified events-test-2026-09-1',
  'written events-test-2026-09-1',
  'removing events-test-2026-09-1',
  'removed events-test-2026-09-1',
  'planned audit-2026-09-1',
  'stored audit-2026-09-1',
  'written audit-2026-09-1',
  'removing audit-2026-10-1',
])('killed by -9 at "%s", the next run loses nothing and moves nothing twice', async (at) => {
  const args = [script, '--url', url, '--dir', dir, '--now', now.toISOString(), '--keys', ring, '--at', at];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({ signal: 'SIGKILL' });
  // The chain verifies at any moment, with what the archive has.
  expect(await verifyAudit(owner, keys, [], readAuditArchive(dir))).toMatchObject({ ok: true });
  await archive();
  await expectNothingLost();
});

test('a file that a kill left half written is written again', async () => {
  await owner.query(`INSERT INTO archive.files (name, series, month, status, "plannedAt")
    VALUES ('events-test-2026-09-1', 'events-test', '2026-09-01', 'planned', now())`);
  for (const name of ['jsonl.gz.part', 'jsonl.gz']) writeFileSync(join(dir, `events-test-2026-09-1.${name}`), 'half');
  await archive();
  await expectNothingLost();
});

describe('nothing more is removed', () => {
  const counts = async () => [(await idsOf('events')).length, (await idsOf('audit_rows')).length];

  /** Runs until some rows of the first file are removed. */
  async function beginRemoval(): Promise<void> {
    const stop = new Error('stopped by the test');
    const onStep = (step: string): void => {
      if (step === 'removing') throw stop;
    };
    await expect(archiveAt(now, { ownerUrl: url, dir, onStep }, keys)).rejects.toBe(stop);
  }

  test.each([
    ['is damaged', (path: string) => truncateSync(path, 1000), 'is damaged: it has 1000 bytes instead of'],
    ['is missing', (path: string) => rmSync(path), 'is damaged: it cannot be read: ENOENT'],
    ['has no manifest', (path: string) => rmSync(path.replace('.jsonl.gz', '.json')), 'is missing or is another file'],
  ])('while the file of removed rows %s', async (_what, harm, sentence) => {
    await beginRemoval();
    const before = await counts();
    expect(before[0]).toBe(events + 2 - 2_000);
    harm(join(dir, 'events-test-2026-09-1.jsonl.gz'));
    await expect(archive()).rejects.toThrow(sentence);
    expect(await counts()).toEqual(before);
  });

  test('by a process whose directory has files of another database', async () => {
    await archive();
    const other = await freshDatabase();
    try {
      const client = new pg.Client({ connectionString: other });
      await client.connect();
      await addEvents(client, new Date('2026-09-01T00:00:00Z'), 1);
      await client.end();
      await expect(archiveAt(now, { ownerUrl: other, dir }, keys)).rejects.toThrow('this database does not know it');
    } finally {
      await dropDatabase(other);
    }
  });

  test('while another process archives, and in a directory that does not exist', async () => {
    const before = await counts();
    await expect(archiveAt(now, { ownerUrl: url, dir: join(dir, 'none') }, keys)).rejects.toThrow('is no directory');
    await owner.query('SELECT pg_advisory_lock(471100016)');
    await expect(archive()).rejects.toThrow('Another process is archiving');
    expect(await counts()).toEqual(before);
  });

  test('by the owner past the archive: no event and no audit row that a file does not contain', async () => {
    await archive();
    for (const table of ['events', 'audit_rows'])
      for (const name of ['', 'events-test-2026-09-1', 'audit-2026-10-1'])
        for (const change of [`DELETE FROM ${table}`, `UPDATE ${table} SET id = id`])
          await expect(owner.query(`SET platform.archive = '${name}'; ${change}`)).rejects.toThrow(
            `rows of ${table} are never changed or removed`,
          );
  });
});

test('what was changed in a file is found, and named', async () => {
  await archive();
  const path = join(dir, 'audit-2026-09-1.json');
  const manifest = readFileSync(path, 'utf8');
  writeFileSync(path, manifest.replace('"rows": 2', '"rows": 3'));
  expect((await verifyArchive(owner, dir)).problems).toEqual(['audit-2026-09-1: it has 2 rows instead of 3.']);
  rmSync(path);
  expect((await verifyArchive(owner, dir)).problems).toEqual([
    'audit-2026-09-1: it is missing, and its rows were removed from the database.',
  ]);
  expect(await verifyAudit(owner, keys, [], readAuditArchive(dir))).toMatchObject({
    ok: false,
    sequence: 1,
    problem: 'row 1 is missing: it was moved to audit-2026-09-1, which is looked for in ARCHIVE_DIR',
  });
  writeFileSync(path, manifest);
  expect((await verifyArchive(owner, dir)).problems).toEqual([]);
});

describe('the command', () => {
  const key = randomBytes(32).toString('base64');
  const root = join(import.meta.dirname, '..', '..', '..');

  const keysOf = { AUDIT_KEYS: ring, VAULT_KEYS: `a:${key}`, FINGERPRINT_KEY: key, IDP_SECRET: key };
  const envOf = (env: Record<string, string>) => ({
    ...programEnv,
    NODE_ENV: 'test',
    ...keysOf,
    DATABASE_URL: url,
    ARCHIVE_DIR: dir,
    ARCHIVE_KEEP_MONTHS: '1',
    ...env,
  });
  const fileOf = (command: string) => join(root, 'src', 'cli', `${command}.ts`);

  /** As an operator runs it. Its months are those of today: the events are of months long over. */
  async function run(args: readonly string[], env: Record<string, string> = {}, command = 'archive'): Promise<string> {
    const given = { cwd: root, env: envOf(env) };
    return (await promisify(execFile)(process.execPath, [fileOf(command), ...args], given)).stdout;
  }

  test('moves, verifies and prints, and audit:verify reads what was moved', async () => {
    const old = await addEvents(owner, new Date('2021-01-31T23:59:58Z'), 3, 'live');
    expect(await run([])).toContain(`events-live-2021-01-1: 2 rows.\nevents-live-2021-02-1: 1 rows.\n`);
    expect(await run(['verify'])).toMatch(/^The archive is whole: \d+ rows in \d+ files\./);
    expect(await run([], {}, 'audit-verify')).toContain('The audit log is whole');
    const printed = await run(['read', '--from', '2021-02-01T00:00:00Z', '--to', '2021-02-01T00:00:01Z']);
    expect(printed.split('\n').map((line) => line && JSON.parse(line).id)).toEqual([old[2], '']);
    // As the database has it, to the last digit.
    expect(printed).toContain('"amount": 1234567890123456789');
    await expect(run([], { ARCHIVE_DIR: '' }, 'audit-verify')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('row 1 is missing: it was moved to audit-2026-09-1'),
    });
  });

  test('ends with 0 when its reader has enough', async () => {
    await run([]);
    const script = 'set -o pipefail; "$0" "$1" read | head -n 1';
    const args = ['-c', script, process.execPath, fileOf('archive')];
    const { stdout } = await promisify(execFile)('bash', args, { cwd: root, env: envOf({}) });
    expect(JSON.parse(stdout).id).toBe(ids[0]);
  });

  test.each([
    ['without a directory', [], { ARCHIVE_DIR: '' }, 'ARCHIVE_DIR is not set'],
    ['without a number of months', [], { ARCHIVE_KEEP_MONTHS: '' }, 'ARCHIVE_KEEP_MONTHS is not set'],
    ['with no month at all', [], { ARCHIVE_KEEP_MONTHS: '0' }, 'a whole number from 1 to 1200'],
    ['with an unknown word', ['delete'], {}, 'takes other arguments'],
    ['with an unknown kind', ['read', '--kind', 'payments'], {}, '--kind must be events or audit'],
    ['with half a time', ['read', '--from', '2026-01-01'], {}, '--from must be a time in UTC'],
  ])('%s it says what is wrong and moves nothing', async (_what, args, env, sentence) => {
    await expect(run(args, env)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
    expect(await idsOf('events')).toHaveLength(ids.length);
  });

  test('with the role of a server it removes nothing', async () => {
    await expect(run([], { DATABASE_URL: asServerRole(url) })).rejects.toMatchObject({
      stderr: 'Only the owner of the tables may remove history: set MIGRATION_DATABASE_URL for this command.\n',
    });
    expect(await idsOf('events')).toHaveLength(ids.length);
  });
});
