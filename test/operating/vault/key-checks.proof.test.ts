import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../../../src/database/errors.ts';
import { createLog } from '../../../src/observability/log.ts';
import { prepareDatabase } from '../../../src/operating/prepare-database.ts';
import { asOwner, freshDatabase, vaultDatabaseOf } from '../../support/database.ts';
import { testConfig } from '../../support/platform.ts';
import { a, b, databases, dropDatabases, newKey, other, right, rotated, start, statesIn, x, y } from './key-story.ts';

/** The last character of 32 bytes in base64 has two bits that are not theirs. */
function respelled(key: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const text = `${key.slice(0, 42)}${digits[digits.indexOf(key[42] ?? '') + 1]}=`;
  expect(Buffer.from(text, 'base64').equals(Buffer.from(key, 'base64'))).toBe(true);
  return text;
}

afterAll(dropDatabases);

/** All rows of a database, by table. */
async function rowsOf(databaseUrl: string): Promise<Record<string, string | null>> {
  const client = await connectTo('DATABASE_URL', databaseUrl);
  try {
    const digests: Record<string, string | null> = {};
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information)'`,
    );
    for (const { name: table } of tables.rows) {
      const { rows } = await client.query(
        `SELECT md5(string_agg(t::text, '' ORDER BY t::text)) AS sum FROM ${table} t`,
      );
      digests[table] = rows[0]?.sum ?? null;
    }
    return digests;
  } finally {
    await client.end();
  }
}

type Wrong = [what: string, env: Record<string, string>, sentence: RegExp];

const wrong: Wrong[] = [
  ['VAULT_KEYS lacks a key of stored cards', { VAULT_KEYS: `b:${b}` }, /VAULT_KEYS lacks the key "a"/],
  [
    'VAULT_KEYS of before the rotation',
    { VAULT_KEYS: `a:${a}` },
    /"a", which was replaced by "b".*\n.*lacks the key "b"/,
  ],
  [
    'VAULT_KEYS in another order',
    { VAULT_KEYS: `a:${a},b:${b}` },
    /first key of VAULT_KEYS is "a", which was replaced/,
  ],
  ['VAULT_KEYS with other bytes', { VAULT_KEYS: `b:${other},a:${a}` }, /The key "b" of VAULT_KEYS is not the key/],
  [
    'VAULT_KEYS with other bytes behind',
    { VAULT_KEYS: `b:${b},a:${other}` },
    /The key "a" of VAULT_KEYS is not the key/,
  ],
  [
    'VAULT_KEYS with a new first key',
    { VAULT_KEYS: `c:${other},b:${b},a:${a}` },
    /first key of VAULT_KEYS, "c", is not k/,
  ],
  ['VAULT_KEYS of elsewhere', { VAULT_KEYS: `c:${other}` }, /"c", is not known.*\n.*lacks the key/],
  [
    'VAULT_KEYS with exchanged ids',
    { VAULT_KEYS: `b:${a},a:${b}` },
    /it is the key "a" of VAULT_KEYS, so the two are ex/,
  ],
  ['AUDIT_KEYS lacks one of before', { AUDIT_KEYS: `y:${y}` }, /AUDIT_KEYS lacks the key "x"/],
  [
    'AUDIT_KEYS of before the rotation',
    { AUDIT_KEYS: `x:${x}` },
    /"x", which was replaced by "y".*\n.*lacks the key "y"/,
  ],
  [
    'AUDIT_KEYS in another order',
    { AUDIT_KEYS: `x:${x},y:${y}` },
    /first key of AUDIT_KEYS is "x", which was replaced/,
  ],
  ['AUDIT_KEYS with other bytes', { AUDIT_KEYS: `y:${other},x:${x}` }, /The key "y" of AUDIT_KEYS is not the key/],
  [
    'AUDIT_KEYS with a new first key',
    { AUDIT_KEYS: `z:${other},y:${y},x:${x}` },
    /first key of AUDIT_KEYS, "z", is not k/,
  ],
  ['no AUDIT_KEYS', { AUDIT_KEYS: '' }, /AUDIT_KEYS lacks the key/],
  ['another FINGERPRINT_KEY', { FINGERPRINT_KEY: other }, /^FINGERPRINT_KEY is not the key of this installation/],
  ['another IDP_SECRET', { IDP_SECRET: other }, /^IDP_SECRET is not the key of this installation/],
  [
    'IDP_SECRET in another spelling of the same bytes, which signs otherwise',
    { IDP_SECRET: respelled(right.IDP_SECRET) },
    /^IDP_SECRET is not the key of this installation/,
  ],
  [
    'VAULT_KEYS and AUDIT_KEYS exchanged',
    { VAULT_KEYS: right.AUDIT_KEYS, AUDIT_KEYS: right.VAULT_KEYS },
    /"y", is not known.*: it is the key "y" of AUDIT_KEYS, so.*\n.*it is the key "b" of VAULT_KEYS, so/,
  ],
  [
    'FINGERPRINT_KEY and IDP_SECRET exchanged',
    { FINGERPRINT_KEY: right.IDP_SECRET, IDP_SECRET: right.FINGERPRINT_KEY },
    /FINGERPRINT_KEY is .*: it is IDP_SECRET, so.*\nIDP_SECRET is .*: it is FINGERPRINT_KEY, so/,
  ],
];

describe('a start with wrong keys is refused, names the setting and changes nothing', () => {
  let databaseUrl: string;
  let before: Record<string, string | null>;

  beforeAll(async () => {
    databaseUrl = await rotated('within');
    before = await rowsOf(databaseUrl);
  });

  test.each(wrong)('%s', async (_what, env, sentence) => {
    const refused = start(databaseUrl, env);
    await expect(refused).rejects.toThrow(sentence);
    const message = await refused.then(
      () => '',
      (error: unknown) => String(error),
    );
    for (const key of [a, b, x, y, other, right.FINGERPRINT_KEY, right.IDP_SECRET]) expect(message).not.toContain(key);
    expect(message).toMatch(/see docs\/self-hosting\/keys\.md\.$/);
  });

  test('the database is as it was, and the right keys start', async () => {
    expect(await rowsOf(databaseUrl)).toEqual(before);
    await start(databaseUrl, {});
    expect(await rowsOf(databaseUrl)).toEqual(before);
    expect(await statesIn(databaseUrl)).toEqual([
      'AUDIT_KEYS x replaced',
      'AUDIT_KEYS y used',
      'FINGERPRINT_KEY  used',
      'IDP_SECRET  used',
      'VAULT_KEYS a replaced',
      'VAULT_KEYS b used',
    ]);
  });

  test('the role of a server can read the checks and add one, and removes none', async () => {
    const config = testConfig(databaseUrl, right);
    if (config.database.kind !== 'server') throw new Error('The tests have a server.');
    await expect(asOwner({ databaseUrl: config.database.url }, 'DELETE FROM keys.checks')).rejects.toThrow(
      'permission',
    );
    expect(await statesIn(config.database.url)).toHaveLength(6);
  });
});

test('with the cards in a database of their own, each database refuses what it was not made with', async () => {
  const databaseUrl = await rotated('apart');
  const vaultUrl = await vaultDatabaseOf(databaseUrl);
  await expect(start(databaseUrl, { VAULT_KEYS: `b:${b}` }, 'apart')).rejects.toThrow(/VAULT_KEYS lacks the key "a"/);
  await expect(start(databaseUrl, { VAULT_KEYS: `c:${a},b:${b}` }, 'apart')).rejects.toThrow(/"c", is not known/);
  expect(await statesIn(vaultUrl)).toEqual(['VAULT_KEYS a replaced', 'VAULT_KEYS b used']);
  // Cards that were restored from another installation.
  await asOwner({ databaseUrl: vaultUrl }, `UPDATE keys.checks SET "check" = 'other' WHERE "keyId" = 'a'`);
  await expect(start(databaseUrl, {}, 'apart')).rejects.toThrow(/The key "a" of VAULT_KEYS is not the key/);
});

test('of first starts at once with different keys one defines those of the installation', async () => {
  const databaseUrl = await freshDatabase();
  databases.push(databaseUrl);
  const rings = [newKey(), newKey(), newKey()].map((key) => ({ VAULT_KEYS: `k:${key}` }));
  const outcomes = await Promise.allSettled(
    rings.map(async (env) => {
      const config = testConfig(databaseUrl, { ...right, ...env });
      await prepareDatabase(config, { url: databaseUrl, ownerUrl: databaseUrl }, createLog({ level: 'silent' }));
      return env;
    }),
  );
  const [winner, ...more] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(more).toEqual([]);
  for (const one of outcomes)
    if (one.status === 'rejected') expect(String(one.reason)).toContain('The key "k" of VAULT_KEYS is not the key');
  for (const env of rings)
    if (env === winner) await start(databaseUrl, env);
    else await expect(start(databaseUrl, env)).rejects.toThrow(/The key "k" of VAULT_KEYS is not the key/);
});
