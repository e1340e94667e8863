// guards: src/database src/operating/prepare-database.ts src/observability/log.ts
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import { postgresUser, withDatabase } from '../../src/local/postgres-programs.ts';
import type { Answer } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import { unresolvedCount } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

/**
 * The tables of the database are on a small disk of their own, which takes the right to mount one. So is the server:
 * while a disk of it is full, it makes no checkpoint, and other tests could make no database.
 */
describe.skipIf(process.getuid?.() !== 0)('a full disk', { timeout: 120_000 }, () => {
  const parent = mkdtempSync(join(tmpdir(), 'platform-full-'));
  const disk = mkdtempSync(join(tmpdir(), 'platform-disk-'));
  const filler = join(disk, 'filler');
  const name = `full_${randomUUID().replaceAll('-', '')}`;
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let platform: TestPlatform;
  let account: SeededAccount;
  let paymentInstrumentId: string;

  beforeAll(async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]);
    const { uid = 0, gid = 0 } = await postgresUser([]);
    chownSync(disk, uid, gid);
    const dir = join(parent, 'postgres');
    server = await startEmbeddedPostgres({ dir, password: 'test', disposable: true, maxConnections: 100 });
    await asOwner({ databaseUrl: server.url }, `CREATE TABLESPACE ${name} LOCATION '${disk}'`);
    await asOwner({ databaseUrl: server.url }, `CREATE DATABASE ${name} TABLESPACE ${name}`);
    platform = await startTestPlatform({ databaseUrl: withDatabase(server.url, name) });
    account = await (await seedPartner(platform)).account();
    ({ id: paymentInstrumentId } = await account.instrument());
  }, 60_000);
  afterAll(async () => {
    rmSync(filler, { force: true });
    await platform?.close();
    await server?.stop();
    execFileSync('umount', [disk]);
    for (const path of [disk, parent]) rmSync(path, { recursive: true, force: true });
  });

  const charge = (key: string): Promise<Answer> =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId, amount: 500, currency: 'USD' },
      { headers: { 'Idempotency-Key': key } },
    );

  test('503 for what needs room and 200 for what does not; then each charge is there once, and the ledger agrees', async () => {
    fill(filler);
    const keys: string[] = [];
    let answer: Answer;
    do {
      keys.push(randomUUID());
      answer = await charge(keys.at(-1) ?? '');
    } while (answer.status === 200 && keys.length < 2_000);
    expect([answer.status, answer.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(answer.headers.get('Retry-After')).toBe('2');
    expect((await account.api.call('/payments', {})).status).toBe(200);

    rmSync(filler);
    const ids = new Set<string>();
    for (const key of keys) {
      await expect.poll(async () => (await charge(key)).status, { timeout: 30_000 }).toBe(200);
      ids.add((await charge(key)).body.payment.id);
    }
    const { services } = platform;
    await expect.poll(() => unresolvedCount(services.pool), { timeout: 60_000 }).toBe(0);
    expect([ids.size, await services.prisma.payment.count()]).toEqual([keys.length, keys.length]);
    expect((await verifyLedger(services)).differences).toEqual([]);
  });
});

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}
