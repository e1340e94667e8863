// guards: src/cli/partner-move.ts src/database/move src/database/backup src/people/moves prisma/schema prisma/migrations
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBackup } from '../../src/database/backup/backup.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { type CellPair, startCellPair } from '../support/cell-pair.ts';
import { clientOf } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import type { TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

/** Each run of the command loads the platform; ends a test that hangs, and asserts nothing. */
const timeout = 600_000;
let cells: CellPair;
let first: TestPlatform;
let second: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;

beforeAll(async () => {
  cells = await startCellPair();
  ({ first, second } = cells);
  partner = await seedPartner(first);
  account = await partner.account();
  await account.api.ok('/webhooks', { url: 'https://shop.example.com/hook', eventTypes: ['payment/succeeded'] });
  await account.charge('4242424242424242');
});
afterAll(() => cells?.close());

const asked = (platform: TestPlatform) => clientOf(platform, account.subKey).call('/auth/test');

async function expectRefusal(sentence: RegExp, args: readonly string[], env?: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await cells.move(args, env).ended;
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
  expect((await asked(first)).status).toBe(200);
}

const otherKey = () => randomBytes(32).toString('base64');

test.each([
  ['no slug', [], {}, /Name one partner by its slug/],
  ['two slugs', ['a', 'b'], {}, /Name one partner by its slug/],
  ['--wait 0', ['a', '--wait', '0'], {}, /it must be a whole number from 1 to 86400/],
  ['no source', ['a'], { SOURCE_DATABASE_URL: '' }, /SOURCE_DATABASE_URL must be the PostgreSQL URL/],
])('exit 1 and how the command is used: %s', async (_what, args, env, sentence) => {
  await expectRefusal(sentence, args, env);
});

test('exit 1 and nothing is changed: a partner that is not there, or moves nowhere', { timeout }, async () => {
  await expectRefusal(/The other cell has no partner nobody/, ['nobody']);
  await expectRefusal(/No move of partner-.* is under way/, [partner.slug, '--abandon']);
});

test('exit 1 and nothing is changed: the source is this cell, or its role may not move rows', { timeout }, async () => {
  await expectRefusal(/leads to this cell/, [partner.slug], { SOURCE_DATABASE_URL: second.databaseUrl });
  await expectRefusal(/may not set session_replication_role/, [partner.slug], {
    SOURCE_DATABASE_URL: asServerRole(first.databaseUrl),
  });
});

test('exit 1 and nothing is changed: keys with which its cards cannot be read', { timeout }, async () => {
  await expectRefusal(/FINGERPRINT_KEY is another key than the one of this installation/, [partner.slug], {
    FINGERPRINT_KEY: otherKey(),
  });
  for (const [sentence, env] of [
    [/VAULT_KEYS lacks "test"/, { VAULT_KEYS: `own:${otherKey()}` }],
    [/a key of the same name/, { VAULT_KEYS: `test:${otherKey()}` }],
    [/FINGERPRINT_KEY is not that of the other cell/, { FINGERPRINT_KEY: otherKey() }],
  ] as const) {
    // A cell that was made with these keys.
    await asOwner(second, 'DELETE FROM keys.checks');
    await expectRefusal(sentence, [partner.slug], env);
  }
  await asOwner(second, 'DELETE FROM keys.checks');
});

test('exit 1 and nothing is changed: the cards of a cell are in a database of their own', async () => {
  await asOwner(first, 'UPDATE vault.place SET "isApart" = true');
  await expectRefusal(/The cards of SOURCE_DATABASE_URL are in a database of their own/, [partner.slug]);
  await asOwner(first, 'UPDATE vault.place SET "isApart" = false');
});

test('exit 1 and nothing is changed: the slug is taken in this cell', async () => {
  const other = await seedPartner(second);
  await asOwner(second, 'UPDATE partners SET slug = $1 WHERE id = $2', [partner.slug, other.id]);
  await expectRefusal(/This cell has a partner partner-.*, too/, [partner.slug]);
  await asOwner(second, 'UPDATE partners SET slug = $1 WHERE id = $2', [`${partner.slug}-other`, other.id]);
});

test('503 with Retry-After while something is in flight; then the move goes on; the way back is a move', {
  timeout,
}, async () => {
  const lease = (until: string) =>
    asOwner(first, `UPDATE webhook_deliveries SET "leasedUntil" = ${until} WHERE "partnerId" = $1`, [partner.id]);
  expect((await lease(`now() + interval '1 hour'`)).rowCount).toBeGreaterThan(0);
  const waited = await cells.move([partner.slug, '--wait', '1']).ended;
  expect([waited.code, waited.stderr]).toEqual([1, expect.stringMatching(/in flight for longer than 1 s/)]);
  const stopped = await asked(first);
  expect([stopped.status, stopped.headers.get('retry-after'), stopped.body]).toEqual([
    503,
    '2',
    expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', data: expect.objectContaining({ effect: 'none' }) }),
  ]);

  expect((await cells.move([partner.slug, '--abandon']).ended).code).toBe(0);
  expect((await asked(first)).status).toBe(200);
  await lease('NULL');

  const moved = await cells.move([partner.slug]).ended;
  expect([moved.code, moved.stderr]).toEqual([0, expect.stringContaining('moved: ')]);
  expect([(await asked(first)).status, (await asked(second)).status]).toEqual([421, 200]);
  // A second run finds nothing to do, and prints the lines of the proxy again.
  const again = await cells.move([partner.slug]).ended;
  expect([again.code, again.stdout, again.stderr]).toEqual([0, expect.stringContaining(' b\n'), '']);

  await clientOf(second, account.subKey).ok('/customers/create', { email: 'new@example.com' });
  const back = await cells.move([partner.slug], {
    CELL: '',
    DATABASE_URL: asServerRole(first.databaseUrl),
    MIGRATION_DATABASE_URL: first.databaseUrl,
    SOURCE_DATABASE_URL: second.databaseUrl,
  }).ended;
  expect([back.code, back.stderr]).toEqual([0, expect.stringContaining('moved: ')]);
  expect([(await asked(first)).status, (await asked(second)).status]).toEqual([200, 421]);
  expect((await asked(second)).body.message).toContain('has moved to the cell without a tag');
  const { items } = await clientOf(first, account.subKey).ok('/customers/list', {});
  expect(items.map(({ email }: { email: string }) => email)).toContain('new@example.com');
  const { rows } = await asOwner(first, `SELECT FROM pg_namespace WHERE nspname ~ '^(moved|arriving)_'`);
  expect(rows).toEqual([]);
});

test('no backup is written while the rows of a partner are in neither cell', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'platform-move-backup-'));
  const about = { version: '0', takenAt: '2030-01-01', keysOf: async () => ({}) };
  const database = { url: first.databaseUrl, vaultUrl: null };
  try {
    await asOwner(first, `INSERT INTO cells.moves VALUES ('par_away', 'away', 'aside', 'b', now())`);
    await expect(writeBackup(database, join(dir, 'one'), about)).rejects.toThrow(/away is being moved/);
    await asOwner(first, `UPDATE cells.moves SET state = 'moved' WHERE slug = 'away'`);
    await writeBackup(database, join(dir, 'two'), about);
  } finally {
    await asOwner(first, `DELETE FROM cells.moves WHERE slug = 'away'`);
    rmSync(dir, { recursive: true, force: true });
  }
});
