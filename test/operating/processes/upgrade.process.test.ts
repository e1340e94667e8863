// guards: prisma/migrations prisma/schema src/database src/operating src/unit-of-work src/adapters/vault src/keys
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMigration } from '../../../src/database/migrate.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner, dropDatabase, emptyDatabase } from '../../support/database.ts';
import { startTestPlatform } from '../../support/platform.ts';
import { launchServer, startServerProcess } from '../../support/server-process.ts';
import type { Release } from '../upgrade/release.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'test', 'operating', 'upgrade');
const release: Release = JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'));
const dump = gunzipSync(readFileSync(join(folder, 'release.sql.gz'))).toString();
const later = '29991231235959_of_a_newer_version';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await emptyDatabase();
  await asOwner({ databaseUrl }, dump);
});

afterAll(() => dropDatabase(databaseUrl));

/** A command as an operator runs it. */
async function run(command: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'src', 'cli', 'platform.ts'), command, ...args],
    {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        ...release.keys,
        DATABASE_URL: asServerRole(databaseUrl),
        MIGRATION_DATABASE_URL: databaseUrl,
      },
    },
  );
  return stdout;
}

const startWith = (env: Record<string, string>) => ({ DATABASE_URL: databaseUrl, ...release.keys, ...env });

describe(`the database of the release ${release.commit}`, { timeout: 300_000 }, () => {
  test('has migrations that this version has unchanged', async () => {
    const { rows } = await asOwner<{ name: string; checksum: string }>(
      { databaseUrl },
      'SELECT migration_name AS name, checksum FROM public._prisma_migrations ORDER BY 1',
    );
    expect(rows.length).toBeGreaterThan(0);
    const now = rows.map(({ name }) => createHash('sha256').update(readMigration(name)).digest('hex'));
    expect(rows.map(({ checksum }) => checksum)).toEqual(now);
  });

  test('is migrated by one command, which then finds nothing to do', async () => {
    expect(await run('migrate')).toContain('ready for servers of this version');
    const count = async () =>
      (await asOwner({ databaseUrl }, 'SELECT count(*) FROM public._prisma_migrations')).rows[0];
    const before = await count();
    await run('migrate');
    expect(await count()).toEqual(before);
  });

  test('serves: an old request is replayed, an old key charges, old cards open, an old hold is captured', async () => {
    const clock = manualClock(new Date(Date.parse(release.takenAt) + 60_000));
    const platform = await startTestPlatform({ databaseUrl, clock, env: release.keys });
    try {
      const api = clientOf(platform, release.subKey);
      const repeated = await api.call('/payments/process', release.charge, {
        headers: { 'Idempotency-Key': release.idempotencyKey },
      });
      expect(repeated).toMatchObject({ status: 200, body: { payment: release.payment } });
      expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
      for (const paymentInstrumentId of release.instruments)
        expect(await api.ok('/payments/process', { ...release.charge, paymentInstrumentId })).toMatchObject({
          payment: { status: 'succeeded' },
        });
      const cards = await platform.services.pool.query<{ id: string; platformAccountId: string; mode: string }>(
        'SELECT id, "platformAccountId", mode FROM vault.cards',
      );
      expect(cards.rows.length).toBeGreaterThanOrEqual(2);
      const numbers = cards.rows.map(
        async ({ id, ...owner }) => (await platform.services.vault.reveal(id, owner)).cardNumber,
      );
      expect(new Set(await Promise.all(numbers))).toEqual(new Set(['4242424242424242', '5555555555554444']));
      const captured = await api.ok('/payments/capture', { paymentId: release.heldPaymentId });
      expect(captured.payment).toMatchObject({ status: 'succeeded', capturedAmount: 4000 });
      await api.ok('/payments/refund', { paymentId: release.payment.id, amount: 1800 });
      const payment = await api.ok(`/payments/${release.payment.id}`);
      expect(payment.payment).toMatchObject({ id: release.payment.id, refundedAmount: 2500 });
      expect(await api.ok(`/subscriptions/${release.subscriptionId}`)).toMatchObject({ status: 'active' });
      const events = await api.ok('/events/list', { page: 1, pageSize: 100 });
      expect(events.items.map(({ type }: { type: string }) => type)).toEqual(
        expect.arrayContaining(['payment/succeeded', 'subscription/created', 'dispute/created']),
      );
      const people = 'SELECT email, status FROM idp.invitation';
      expect((await asOwner({ databaseUrl }, people)).rows).toEqual([
        { email: 'operator@example.com', status: 'pending' },
      ]);
      const partner = clientOf(platform, release.partnerKey);
      expect((await partner.ok('/accounts/list', { page: 1, pageSize: 10 })).items).toHaveLength(1);
    } finally {
      await platform.close();
    }
  });

  test('is proven: every stored secret has its key, and ledger and audit log verify', async () => {
    expect(await run('keys', ['check'])).toMatch(/\nrelease: \d+ stored secrets; the first key/);
    expect(await run('verify', ['ledger'])).toContain('no differences');
    expect(await run('verify', ['audit'])).toContain('The audit log is verified');
  });
});

test('a database of a version before the first migration is refused by a sentence', async () => {
  const other = await emptyDatabase();
  try {
    await asOwner({ databaseUrl: other }, dump);
    await asOwner(
      { databaseUrl: other },
      `UPDATE public._prisma_migrations SET migration_name = '20260101000000_of_before'`,
    );
    await expect(startTestPlatform({ databaseUrl: other, env: release.keys })).rejects.toThrow(
      'is of a version before the first migration of this one, such as 20260101000000_of_before, and cannot be upgraded',
    );
  } finally {
    await dropDatabase(other);
  }
});

describe('a database that a newer version has migrated', { timeout: 300_000 }, () => {
  const sentence = new RegExp(
    `^A newer version has migrated the database: this version, \\S+, lacks ${later}\\. Start the newer version; for the ` +
      'way back see docs/self-hosting/upgrade\\.md \\(ALLOW_NEWER_DATABASE\\)\\.\\n$',
  );

  beforeAll(async () => {
    await run('migrate');
    await asOwner(
      { databaseUrl },
      `INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('later', '-', '${later}', now())`,
    );
  });

  test.each([
    ['with the rights of the owner', {}],
    ['with those of a server', { MIGRATION_DATABASE_URL: '' }],
  ])('is refused at start with one sentence, %s', async (_title, env) => {
    const url = 'MIGRATION_DATABASE_URL' in env ? asServerRole(databaseUrl) : databaseUrl;
    const server = launchServer({ ...startWith({ PORT: '4998', ...env }), DATABASE_URL: url });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.output()).toMatch(sentence);
  });

  test('is not migrated by a command either', async () => {
    await expect(run('migrate')).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  });

  test('is served with ALLOW_NEWER_DATABASE, which is logged', async () => {
    const server = await startServerProcess(startWith({ ALLOW_NEWER_DATABASE: 'true' }));
    try {
      expect(server.output()).toContain('it starts because of ALLOW_NEWER_DATABASE');
      const api = clientOf(server, release.subKey);
      expect((await api.ok('/payments/process', release.charge)).payment).toMatchObject({ status: 'succeeded' });
    } finally {
      await server.stop();
    }
  });
});
