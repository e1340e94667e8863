// guards: src/cli src/database src/operating src/keys src/local src/adapters/vault prisma/migrations
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lastBackupAt } from '../../../src/database/last-backup.ts';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import { type PackagedPostgres, startPackagedPostgres } from '../../support/packaged-postgres.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { programEnv } from '../../support/program-env.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'platform-backup-'));
const backup = join(folder, 'platform');
const newKey = (): string => randomBytes(32).toString('base64');
const oldKey = `old:${newKey()}`;
const keys = { FINGERPRINT_KEY: newKey(), AUDIT_KEYS: `audit:${newKey()}`, IDP_SECRET: newKey(), VAULT_KEYS: oldKey };

let postgres: PackagedPostgres;
let platform: TestPlatform;
let account: SeededAccount;
const charge = { amount: 2500, currency: 'USD' };
const retry = { headers: { 'Idempotency-Key': 'order-of-the-backup' } };
let paid: Record<string, unknown>;

beforeAll(async () => {
  postgres = await startPackagedPostgres(join(folder, 'postgres'));
  platform = await startTestPlatform({ env: keys, databaseUrl: await postgres.emptyDatabase(), vault: 'within' });
  const partner = await seedPartner(platform);
  account = await partner.account('A name with\ttab, \\ backslash and\nnew line');
  const { id: paymentInstrumentId } = await account.instrument();
  Object.assign(charge, { paymentInstrumentId, storeId: account.storeId });
  paid = (await account.api.ok('/payments/process', charge, retry)).payment;
  for (let cards = 0; cards < 3; cards += 1) await account.charge();
  await account.api.ok('/payments/refund', { paymentId: paid['id'], amount: 500 });
  await account.api.ok('/webhooks', { url: 'https://shop.example.com/hook', eventTypes: ['payment/succeeded'] });
  await platform.idp.createUser({
    email: 'someone@example.com',
    password: 'aPasswordToBackUp1',
    platformRoles: ['superadmin'],
    whitelabelOwnership: null,
  });
  await platform.idp.flush();
});

afterAll(async () => {
  await platform.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A command as an operator runs it. */
async function run(command: string, args: readonly string[], databaseUrl: string, env: Record<string, string> = {}) {
  const all = { ...keys, DATABASE_URL: asServerRole(databaseUrl), MIGRATION_DATABASE_URL: databaseUrl, ...env };
  return promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), command, ...args], {
    cwd: root,
    env: { ...programEnv, NODE_ENV: 'test', ...all },
  });
}

async function cardsOf({ services }: TestPlatform) {
  const { rows } = await services.vaultDatabase.pool.query<{ id: string; platformAccountId: string; mode: string }>(
    'SELECT id, "platformAccountId", mode FROM vault.cards',
  );
  return rows;
}

/** What a file of pg_dump contains, as SQL. */
async function textOf(dump: string): Promise<string> {
  const { stdout } = await promisify(execFile)('pg_restore', ['--file=-', dump], { maxBuffer: 1e9 });
  return stdout;
}

describe('a backup', { timeout: 300_000 }, () => {
  test('is for its owner only, without a key in it, names the keys to keep, and records its time', async () => {
    expect(await lastBackupAt(platform.services.pool)).toBeNull();
    // With the rights of a server.
    const { stdout } = await run('backup', [backup], platform.databaseUrl, { MIGRATION_DATABASE_URL: '' });
    expect(stdout).toContain('VAULT_KEYS:old, IDP_SECRET, FINGERPRINT_KEY, AUDIT_KEYS:audit');
    expect(readdirSync(backup)).toEqual(['backup.json', 'platform.dump']);
    const { takenAt } = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'));
    expect((await lastBackupAt(platform.services.pool))?.toISOString()).toBe(takenAt);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    const text = (await textOf(join(backup, 'platform.dump'))) + readFileSync(join(backup, 'backup.json'), 'utf8');
    for (const key of Object.values(keys)) expect(text).not.toContain(key.replace(/^\w+:/, ''));
    expect(text).toContain(`pay_${String(paid['id']).slice(4)}`);
    expect(text).not.toContain('4242424242424242');
  });

  test('is refused by a sentence, and leaves nothing, for a folder that exists or cannot be made, and without pg_dump', async () => {
    const refusal = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) });
    const { databaseUrl } = platform;
    await expect(run('backup', [backup], databaseUrl)).rejects.toMatchObject(refusal('is there already; name a new'));
    const nowhere = join(folder, 'no', 'folder');
    await expect(run('backup', [nowhere], databaseUrl)).rejects.toMatchObject(refusal('no such folder'));
    const other = join(folder, 'other');
    await expect(run('backup', [other], databaseUrl, { PATH: folder })).rejects.toMatchObject(
      refusal("pg_dump is not there. Debian's package postgresql-client brings it"),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('other'))).toEqual([]);
  });

  test('that was killed with kill -9 has written no folder of that name, and the next one is whole', async () => {
    const killed = join(folder, 'killed');
    writeFileSync(join(folder, 'pg_dump'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const PATH = `${folder}:${programEnv['PATH']}`;
    const running = promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), 'backup', killed], {
      env: { ...programEnv, NODE_ENV: 'test', ...keys, DATABASE_URL: platform.databaseUrl, PATH },
    });
    await vi.waitUntil(() => existsSync(`${killed}.part`), { timeout: 60_000 });
    running.child.kill('SIGKILL');
    await expect(running).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(killed)).toBe(false);
    await run('backup', [killed], platform.databaseUrl);
    expect(readdirSync(killed)).toEqual(['backup.json', 'platform.dump']);
  });

  test('with other keys ends with 1 and names them; what it wrote is restored with the right ones', async () => {
    const other = { VAULT_KEYS: `other:${newKey()}`, FINGERPRINT_KEY: newKey() };
    const written = join(folder, 'other-keys');
    await expect(run('backup', [written], platform.databaseUrl, other)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The first key of VAULT_KEYS, "other", is not known .*\nFINGERPRINT_KEY is .*\nVAULT_KEYS lacks the key "old"/,
      ),
    });
    await expect(run('restore', [written, '--check'], platform.databaseUrl)).rejects.toMatchObject({
      stderr: expect.stringContaining('it was written with another FINGERPRINT_KEY'),
    });
    await run('restore', [written, '--check', '--without-seal'], platform.databaseUrl);
  });
});

describe('a restore', { timeout: 300_000 }, () => {
  test('refuses other keys by name, damage, and a database that has rows, and writes nothing', async () => {
    const empty = await postgres.emptyDatabase();
    const other = { VAULT_KEYS: `new:${newKey()}`, FINGERPRINT_KEY: newKey() };
    await expect(run('restore', [backup], empty, other)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /FINGERPRINT_KEY is not the key of .*\nVAULT_KEYS lacks the key "old".*\nNothing was/,
      ),
    });
    const cut = join(folder, 'cut');
    cpSync(backup, cut, { recursive: true });
    truncateSync(join(cut, 'platform.dump'), statSync(join(cut, 'platform.dump')).size - 100);
    await expect(run('restore', [cut, '--without-seal'], empty)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pg_restore failed: '),
    });
    writeFileSync(join(cut, 'backup.json'), 'no backup');
    for (const none of [cut, folder, join(folder, 'none'), join(cut, 'backup.json')])
      await expect(run('restore', [none], empty)).rejects.toMatchObject({
        stderr: expect.stringContaining('is no backup of the platform'),
      });
    await expect(run('restore', [backup], platform.databaseUrl)).rejects.toMatchObject({
      stderr: expect.stringContaining('already has tables'),
    });
    const { rows } = await asOwner({ databaseUrl: empty }, `SELECT FROM pg_tables WHERE schemaname = 'public'`);
    expect(rows).toEqual([]);
    // What was cut leaves nothing, so the whole backup can be restored after it.
    expect((await run('restore', [backup], empty)).stdout).toContain('was restored');
  });

  test('refuses a backup of which a byte, a fact or the list of files was changed, and says how it is restored nevertheless', async () => {
    const empty = await postgres.emptyDatabase();
    const changes: ((changed: string) => void)[] = [
      (changed) => {
        const dump = readFileSync(join(changed, 'platform.dump'));
        dump.writeUInt8(dump.readUInt8(1_000) ^ 1, 1_000);
        writeFileSync(join(changed, 'platform.dump'), dump);
      },
      (changed) => {
        const manifest = JSON.parse(readFileSync(join(changed, 'backup.json'), 'utf8'));
        writeFileSync(
          join(changed, 'backup.json'),
          JSON.stringify({ ...manifest, takenAt: '2020-01-01T00:00:00.000Z' }),
        );
      },
      (changed) => writeFileSync(join(changed, 'vault.dump'), ''),
    ];
    for (const [at, change] of changes.entries()) {
      const changed = join(folder, `changed-${at}`);
      cpSync(backup, changed, { recursive: true });
      change(changed);
      for (const args of [[], ['--check']])
        await expect(run('restore', [changed, ...args], empty)).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/The seal of the backup does not match: .* add --without-seal\./),
        });
    }
    await run('restore', [join(folder, 'changed-1'), '--check', '--without-seal'], empty);
    await run('restore', [backup, '--check'], empty);
  });

  test('--without-keys gives up what is missing, and a server starts with the keys that are there', async () => {
    const url = await postgres.emptyDatabase();
    const other = { VAULT_KEYS: `new:${newKey()}`, IDP_SECRET: newKey() };
    await run('restore', [backup, '--without-keys'], url, other);
    const second = await startTestPlatform({ env: { ...keys, ...other }, databaseUrl: url, vault: 'within' });
    await second.close();
    await expect(startTestPlatform({ env: keys, databaseUrl: url, vault: 'within' })).rejects.toThrow(/IDP_SECRET/);
  });

  test('has every row; ledger and audit log verify; every card opens; a retry gets the stored answer', async () => {
    const url = await postgres.emptyDatabase();
    expect((await run('restore', [backup], url)).stdout).toContain('was restored');
    expect((await run('verify', ['ledger'], url)).stdout).toContain('no differences');
    await run('verify', ['audit'], url);
    expect((await run('keys', ['check'], url)).stdout).toMatch(/\nold: \d+ stored secrets; the first key/);
    const second = await startTestPlatform({ env: keys, databaseUrl: url });
    try {
      const cards = await cardsOf(second);
      expect(cards.length).toBeGreaterThanOrEqual(4);
      for (const { id, ...owner } of cards)
        expect((await second.services.vault.reveal(id, owner)).cardNumber).toMatch(/^4/);
      const api = clientOf(second, account.subKey);
      const again = await api.call('/payments/process', charge, retry);
      expect(again).toMatchObject({ status: 200, body: { payment: paid } });
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      const accountOf = async (one: TestPlatform) =>
        (await one.services.prisma.processingAccount.findUniqueOrThrow({ where: { id: account.id } })).legalName;
      expect(await accountOf(second)).toBe(await accountOf(platform));
      // What comes after the restore goes on with the ids and sequences of before.
      const next = await api.ok('/payments/process', charge);
      expect(next.payment).toMatchObject({ status: 'succeeded' });
      const person = await second.services.pool.query('SELECT FROM idp."user" WHERE email = $1', [
        'someone@example.com',
      ]);
      expect(person.rowCount).toBe(1);
    } finally {
      await second.close();
    }
    expect((await run('verify', ['ledger'], url)).stdout).toContain('no differences');
    await run('verify', ['audit'], url);
  });
});

describe('with a database of its own for the vault', { timeout: 600_000 }, () => {
  const forms = [
    ['to two databases', true],
    ['back to one database', false],
  ] as const;
  const apartBackup = join(folder, 'apart');
  let vaultUrl: string;
  let apart: TestPlatform;
  let apartAccount: SeededAccount;

  beforeAll(async () => {
    vaultUrl = await postgres.emptyDatabase();
    apart = await startTestPlatform({
      databaseUrl: await postgres.emptyDatabase(),
      env: { ...keys, ...vaultSettingsOf(vaultUrl) },
      vault: 'within',
    });
    apartAccount = await (await seedPartner(apart)).account();
    for (let cards = 0; cards < 3; cards += 1) await apartAccount.charge();
  });
  afterAll(async () => {
    await apart.close();
  });

  test('a backup has the cards in it, and without VAULT_DATABASE_URL it is refused', async () => {
    await expect(run('backup', [apartBackup], apart.databaseUrl)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set VAULT_DATABASE_URL to it'),
    });
    expect(existsSync(apartBackup)).toBe(false);
    const { stdout } = await run('backup', [apartBackup], apart.databaseUrl, vaultSettingsOf(vaultUrl));
    expect(stdout).toContain('VAULT_KEYS:old');
    expect(await textOf(join(apartBackup, 'platform.dump'))).toContain('COPY vault.cards');
    const text = await textOf(join(apartBackup, 'vault.dump'));
    const { rows } = await apart.services.vaultDatabase.pool.query<{ id: string }>('SELECT id FROM vault.cards');
    for (const { id } of rows) expect(text).toContain(`\n${id}\t`);
  });

  test('a card that is stored while the backup is read, and its instrument, are both in it or the instrument is not', async () => {
    const during = join(folder, 'during');
    let stored = 0;
    const storing = new AbortController();
    const load = (async () => {
      while (!storing.signal.aborted) {
        await apartAccount.instrument();
        stored += 1;
      }
    })();
    await run('backup', [during], apart.databaseUrl, vaultSettingsOf(vaultUrl));
    storing.abort();
    await load;
    expect(stored).toBeGreaterThan(0);
    const [url, vault] = [await postgres.emptyDatabase(), await postgres.emptyDatabase()];
    await run('restore', [during], url, vaultSettingsOf(vault));
    const ids = async (databaseUrl: string, statement: string) =>
      (await asOwner<{ id: string }>({ databaseUrl }, statement)).rows.map(({ id }) => id);
    const kept = new Set(await ids(vault, 'SELECT id FROM vault.cards'));
    const needed = await ids(url, 'SELECT "cardId" AS id FROM payment_instruments');
    expect(needed.length).toBeGreaterThan(0);
    expect(needed.filter((id) => !kept.has(id))).toEqual([]);
  });

  test('a restore refuses a database of a vault that has cards, and one that an installation has', async () => {
    const url = await postgres.emptyDatabase();
    await expect(run('restore', [apartBackup], url, vaultSettingsOf(vaultUrl))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already has tables'),
    });
    expect((await asOwner({ databaseUrl: vaultUrl }, 'SELECT FROM vault.cards')).rowCount).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ...forms.map(([name, isApart]) => [name, 'of two databases', isApart, () => apartBackup] as const),
    ['to two databases', 'of one database', true, () => backup] as const,
  ])('a restore %s, from a backup %s: every card opens, and the proofs pass', async (_to, _of, isApart, fileOf) => {
    const url = await postgres.emptyDatabase();
    const vaultEnv: Record<string, string> = isApart ? { ...vaultSettingsOf(await postgres.emptyDatabase()) } : {};
    expect((await run('restore', [fileOf()], url, vaultEnv)).stdout).toContain('was restored');
    await run('verify', ['ledger'], url, vaultEnv);
    await run('verify', ['audit'], url, vaultEnv);
    expect((await run('keys', ['check'], url, vaultEnv)).stdout).toMatch(/\nold: \d+ stored secrets; the first key/);
    const both = { ...vaultEnv, VAULT_KEYS: `new:${newKey()},${oldKey}` };
    await run('keys', ['add'], url, both);
    expect((await run('keys', ['rotate'], url, both)).stdout).toMatch(/\nold: 0 stored secrets; can be removed/);
    const second = await startTestPlatform({ env: { ...keys, ...both }, databaseUrl: url, vault: 'within' });
    try {
      const cards = await cardsOf(second);
      expect(cards.length).toBeGreaterThanOrEqual(3);
      for (const { id, ...owner } of cards)
        expect((await second.services.vault.reveal(id, owner)).cardNumber).toMatch(/^4/);
      const { rows } = await asOwner<{ cardId: string }>(
        { databaseUrl: url },
        'SELECT "cardId" FROM payment_instruments',
      );
      const kept = new Set(cards.map(({ id }) => id));
      for (const { cardId } of rows) expect(kept.has(cardId)).toBe(true);
    } finally {
      await second.close();
    }
  });
});

describe('a rotation of the vault key', { timeout: 300_000 }, () => {
  test('ends with 1 while another key is needed, rewraps all, and ends with 0', async () => {
    const url = await postgres.emptyDatabase();
    await run('restore', [backup], url);
    const both = { VAULT_KEYS: `new:${newKey()},${oldKey}` };
    await expect(run('keys', ['check'], url, both)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/new: 0 stored secrets; the first key.*\nold: \d+ stored secrets; still needed/),
    });
    await run('keys', ['add'], url, both);
    expect((await run('keys', ['rotate'], url, both)).stdout).toMatch(
      /^\d+ stored secrets were encrypted(.*\n)+new: \d+ stored secrets; .*\nold: 0 stored secrets; can be removed/,
    );
    await run('keys', ['check'], url, both);
  });
});
