import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute, sql, join as sqlJoin } from '../../src/database/sql.ts';
import { anchorAudit, readAnchors } from '../../src/iam/audit/anchors.ts';
import { type AuditVerdict, lastVerification, verifyAudit } from '../../src/iam/audit/verify-audit.ts';
import { openAuditKeys } from '../../src/keys/audit-keys.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { recordParts } from '../../src/unit-of-work/records.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';

/** An attacker who is a superuser of the database, and knows everything but the key. */
let platform: TestPlatform;
let superuser: pg.Client;
const dir = mkdtempSync(join(tmpdir(), 'platform-anchors-'));
const file = join(dir, 'anchors.jsonl');
const key = () => randomBytes(32).toString('base64');
const ring = `second:${key()}`;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { AUDIT_ANCHOR_FILE: file } });
  for (let n = 1; n <= 8; n++) await addRow(platform, `target ${n}`);
  superuser = new pg.Client({ connectionString: platform.databaseUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await platform?.close();
  rmSync(dir, { recursive: true });
});

async function addRow({ services }: TestPlatform, target: string, auditKeys = services.auditKeys): Promise<void> {
  const actor = { kind: 'system', id: 'test' };
  const by = { actor, requestId: 'req_12345678', ip: null, now: services.clock.now(), testClockId: null, auditKeys };
  const parts = recordParts(by, [], [{ action: 'test', target, after: { target } }]);
  await execute(services.pool, sql`WITH ${sqlJoin(parts, ', ')} SELECT 1`);
}

const verify = (keys = platform.services.auditKeys, anchors: { sequence: number; hash: string }[] = []) =>
  verifyAudit(platform.services.pool, keys, anchors);

/** Rewrites hashes as everybody can: with a key of one's own, from row `from` on, and sets the head. */
const rehash = (from: number) => `
  DO $$
  DECLARE r audit_rows; last text := coalesce((SELECT hash FROM audit_rows WHERE sequence = ${from} - 1), '');
  BEGIN
    FOR r IN SELECT * FROM audit_rows WHERE sequence >= ${from} ORDER BY sequence LOOP
      r."previousHash" := last;
      last := audit.hash_of(r, decode(repeat('36', 64) || repeat('5c', 64), 'hex'));
      UPDATE audit_rows SET "previousHash" = r."previousHash", hash = last WHERE id = r.id;
    END LOOP;
    UPDATE audit.head SET hash = last, sequence = (SELECT max(sequence) FROM audit_rows);
  END $$;`;

/** The verdict after a change past the triggers, which is then undone. */
async function tampered(sql: string, anchors: { sequence: number; hash: string }[] = []): Promise<AuditVerdict> {
  const saved = 'CREATE TEMP TABLE saved AS TABLE audit_rows; CREATE TEMP TABLE saved_head AS TABLE audit.head;';
  await superuser.query(`SET session_replication_role = 'replica'; ${saved}`);
  try {
    await superuser.query(sql);
    return await verify(undefined, anchors);
  } finally {
    await superuser.query(
      `DELETE FROM audit_rows; INSERT INTO audit_rows TABLE saved; DROP TABLE saved;
       UPDATE audit.head h SET sequence = s.sequence, hash = s.hash FROM saved_head s; DROP TABLE saved_head;
       RESET session_replication_role`,
    );
  }
}

const copyOf = (sequence: number, to: number) => `
  INSERT INTO audit_rows SELECT (jsonb_populate_record(r, jsonb_build_object('id', 'aud_forged', 'sequence', ${to}))).*
  FROM audit_rows r WHERE sequence = ${sequence}`;
const shift = (from: number, by: number) => `
  UPDATE audit_rows SET sequence = -sequence WHERE sequence >= ${from};
  UPDATE audit_rows SET sequence = -sequence + (${by}) WHERE sequence < 0;`;

describe('audit:verify names every change of a superuser without the key', () => {
  test('nothing was changed', async () => expect(await tampered('SELECT 1')).toMatchObject({ ok: true, rows: 8 }));

  test.each([
    ['changed', `UPDATE audit_rows SET "actorId" = 'another' WHERE sequence = 3`, 3],
    ['changed in its JSON', `UPDATE audit_rows SET after = '{"target":"x"}' WHERE sequence = 3`, 3],
    [
      'changed, and every hash computed again',
      `UPDATE audit_rows SET target = 'x' WHERE sequence = 3; ${rehash(3)}`,
      3,
    ],
    [
      'changed, and the whole log with another key',
      `UPDATE audit_rows SET target = 'x' WHERE sequence = 3; ${rehash(1)}`,
      1,
    ],
    ['given a mode', `UPDATE audit_rows SET mode = 'live' WHERE sequence = 4`, 4],
    ['given another key id', `UPDATE audit_rows SET "keyId" = 'other' WHERE sequence = 4`, 4],
    ['removed', 'DELETE FROM audit_rows WHERE sequence = 2', 2],
    [
      'removed, the rest moved up and computed again',
      `DELETE FROM audit_rows WHERE sequence = 2; ${shift(3, -1)} ${rehash(2)}`,
      2,
    ],
    ['removed at the beginning', `DELETE FROM audit_rows WHERE sequence = 1; ${shift(2, -1)}`, 1],
    ['inserted', `${shift(5, 1)} ${copyOf(4, 5)}; UPDATE audit.head SET sequence = 9`, 5],
    ['inserted and computed again', `${shift(5, 1)} ${copyOf(4, 5)}; ${rehash(5)}`, 5],
    ['added at the end', `${copyOf(8, 9)}; ${rehash(9)}`, 9],
    [
      'reordered',
      `UPDATE audit_rows SET sequence = CASE sequence WHEN 4 THEN -5 ELSE -4 END WHERE sequence IN (4, 5);
       UPDATE audit_rows SET sequence = -sequence WHERE sequence < 0`,
      4,
    ],
    ['cut off, the head as it was', 'DELETE FROM audit_rows WHERE sequence > 6', 6],
    ['no more, and only the head set back', 'UPDATE audit.head SET sequence = 6', 8],
  ])('a row %s', async (_what, sql, sequence) =>
    expect(await tampered(sql)).toMatchObject({ ok: false, sequence, problem: expect.any(String) }));

  test('rows cut off with the head set back are found with an anchor, and only with one', async () => {
    const { rows } = await superuser.query('SELECT sequence::int, hash FROM audit_rows WHERE sequence = 8');
    const cut = `DELETE FROM audit_rows WHERE sequence > 6;
      UPDATE audit.head SET sequence = 6, hash = (SELECT hash FROM audit_rows WHERE sequence = 6)`;
    expect(await tampered(cut)).toMatchObject({ ok: true, rows: 6 });
    expect(await tampered(cut, rows)).toMatchObject({
      ok: false,
      sequence: 7,
      problem: 'rows are cut off: an anchor names row 8',
    });
    expect(await tampered('SELECT 1', rows)).toMatchObject({ ok: true, rows: 8 });
    expect(await tampered('SELECT 1', [{ sequence: 8, hash: 'f'.repeat(64) }])).toMatchObject({
      ok: false,
      sequence: 8,
      problem: 'its hash is not that of an anchor',
    });
  });

  test('with keys other than the servers it says which key is missing', async () =>
    expect(await verify(openAuditKeys(ring))).toMatchObject({
      ok: false,
      sequence: 1,
      problem: 'its key derived is not among the keys given',
    }));
});

describe('a row', () => {
  const columns = `id, at, "actorKind", "actorId", action, outcome, "requestId"`;
  const values = `'aud_x', now(), 'user', 'user_x', 'x', 'allowed', 'req_x'`;

  test.each([
    ['without a key', `INSERT INTO audit_rows (${columns}) VALUES (${values})`],
    ['with a key id and no key', `INSERT INTO audit_rows (${columns}, "keyId") VALUES (${values}, 'derived')`],
    [
      'with a hash of its own',
      `INSERT INTO audit_rows (${columns}, "keyId", sequence, "previousHash", hash)
       VALUES (${values}, 'derived', 3, '', '${createHash('sha256').update('x').digest('hex')}')`,
    ],
  ])('%s is refused', (_what, sql) => expect(platform.services.pool.query(sql)).rejects.toThrow('key of a server'));

  test('the database keeps no key of a row', async () => {
    const { rows } = await superuser.query('SELECT id, hash, row_to_json(r)::text AS text FROM audit_rows r');
    for (const { id, hash, text } of rows) {
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      const { hash: blocks } = platform.services.auditKeys.blocksOf(id);
      expect(text).not.toContain(blocks.slice(0, 64));
      expect(text).not.toContain(blocks.slice(128, 192));
    }
  });

  test('a table of the session does not take the place of the head', async () => {
    const attacker = new pg.Client({ connectionString: asServerRole(platform.databaseUrl) });
    await attacker.connect();
    await attacker.query('CREATE TEMP TABLE head AS TABLE audit.head; SET search_path = pg_temp, audit, public');
    await attacker.query(
      `INSERT INTO public.audit_rows (${columns}, "keyId", hash) VALUES (${values}, 'forged', '${'0'.repeat(256)}')`,
    );
    await attacker.end();
    expect(await verify()).toMatchObject({
      ok: false,
      sequence: 9,
      problem: 'its key forged is not among the keys given',
    });
    await superuser.query(
      `SET session_replication_role = 'replica'; DELETE FROM audit_rows WHERE sequence = 9;
       UPDATE audit.head SET sequence = 8, hash = (SELECT hash FROM audit_rows WHERE sequence = 8);
       RESET session_replication_role`,
    );
  });
});

describe('anchors', () => {
  test('the job logs the head and appends it to the file, once for each head', async () => {
    await anchorAudit(platform.services);
    await anchorAudit(platform.services);
    const [line, ...more] = readFileSync(file, 'utf8').trim().split('\n');
    expect(more).toEqual([]);
    const { anchor } = JSON.parse(line ?? '');
    expect(anchor).toMatch(/^8:[0-9a-f]{64}$/);
    expect(platform.logged.filter((logged) => logged.includes(anchor))).toHaveLength(1);
    const anchors = await readAnchors(file, platform.services.auditKeys);
    expect(await readAnchors(anchor, platform.services.auditKeys)).toEqual(anchors);
    expect(await verify(undefined, anchors)).toMatchObject({ ok: true });
  });

  test('a line that was changed, or made without the key, is refused', async () => {
    const kept = readFileSync(file, 'utf8');
    for (const forged of [
      kept.replace('"8:', '"7:'),
      kept.replace(/"code":"./, '"code":"g'),
      kept.replace('derived', 'x'),
    ]) {
      writeFileSync(file, forged);
      await expect(readAnchors(file, platform.services.auditKeys)).rejects.toThrow('Line 1 of');
    }
    writeFileSync(file, kept);
  });

  test('platform verify audit --anchor: 0 for a whole log, 1 for one that was cut off', async () => {
    const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'platform.ts');
    const { fingerprintKey } = platform.services.config;
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      DATABASE_URL: asServerRole(platform.databaseUrl),
      FINGERPRINT_KEY: fingerprintKey.toString('base64'),
      VAULT_KEYS: `a:${key()}`,
      IDP_SECRET: key(),
    };
    const run = () => promisify(execFile)(process.execPath, [cli, 'verify', 'audit', '--anchor', file], { env });
    expect((await run()).stdout).toMatch(/^The audit log is verified: 8 rows\. Head: 8:[0-9a-f]{64}\.\n$/);
    const keys = platform.services.auditKeys;
    const anchor = `9:${'a'.repeat(64)}`;
    appendFileSync(file, JSON.stringify({ anchor, keyId: 'derived', code: keys.anchorCode('derived', anchor) }));
    await expect(run()).rejects.toMatchObject({
      code: 1,
      stderr: 'The audit log is broken at row 9: rows are cut off: an anchor names row 9.\n',
    });
    // Operators see who verified last, and what was found.
    expect(await lastVerification(platform.services.pool)).toEqual({
      at: expect.any(Date),
      by: `${userInfo().username}@${hostname()}`,
      ok: false,
      rows: 8,
      anchors: expect.any(Number),
      problem: 'row 9: rows are cut off: an anchor names row 9',
    });
    const stored = await superuser.query('SELECT ok, rows::int, problem FROM audit_verifications ORDER BY at, id');
    expect(stored.rows).toMatchObject([{ ok: true, rows: 8, problem: null }, { ok: false }]);
    await expect(platform.services.pool.query('DELETE FROM audit_verifications')).rejects.toThrow('permission denied');
  });
});

test('a rotated key hashes new rows, and both verify', async () => {
  const rotated = openAuditKeys(`${ring},${platform.services.config.auditKeys}`);
  await addRow(platform, 'after the rotation', rotated);
  const { rows } = await superuser.query('SELECT "keyId" FROM audit_rows ORDER BY sequence DESC LIMIT 2');
  expect(rows).toEqual([{ keyId: 'second' }, { keyId: 'derived' }]);
  expect(await verify(rotated)).toMatchObject({ ok: true, rows: 9 });
  expect(await verify()).toMatchObject({ ok: false, sequence: 9 });
});
