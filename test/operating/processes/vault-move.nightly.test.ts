// guards: src/cli/commands/move-cards.ts src/operating/move-cards.ts src/database/vault src/database/dump.ts src/operating/prepare-vault.ts src/adapters/vault docs/self-hosting/database.md
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../../support/database-switch.ts';
import { type PackagedPostgres, startPackagedPostgres } from '../../support/packaged-postgres.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { programEnv } from '../../support/program-env.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'platform-vault-move-'));
const newKey = (): string => randomBytes(32).toString('base64');
const keys = { FINGERPRINT_KEY: newKey(), IDP_SECRET: newKey(), VAULT_KEYS: `test:${newKey()}` };
const copies = 2_300;

let postgres: PackagedPostgres;
let database: string;
let platform: TestPlatform;
let account: SeededAccount;
let instrumentId: string;
let vaultUrl: string;
let mainLine: DatabaseSwitch;
let vaultLine: DatabaseSwitch;
/** Called with each statement of the command. */
let onStatement: (text: string) => void = () => {};

beforeAll(async () => {
  postgres = await startPackagedPostgres(join(folder, 'postgres'));
  database = await postgres.emptyDatabase();
  platform = await startTestPlatform({ databaseUrl: database, env: keys, vault: 'within' });
  account = await (await seedPartner(platform)).account();
  instrumentId = (await account.instrument('4242424242424242')).id;
  await asOwner(
    { databaseUrl: database },
    `INSERT INTO vault.cards
     SELECT 'card_copy' || n, mode, "platformAccountId", "keyId", "wrappedKey", "sealedCard", "sealedCvc", "cvcExpiresAt",
       "createdAt"
     FROM (SELECT * FROM vault.cards LIMIT 1) c, generate_series(1, ${copies}) n`,
  );
  vaultUrl = await postgres.emptyDatabase();
  mainLine = await openDatabaseSwitch(database, (bytes) => onStatement(bytes.toString('latin1')));
  vaultLine = await openDatabaseSwitch(vaultUrl, (bytes) => onStatement(bytes.toString('latin1')));
});
afterAll(async () => {
  await mainLine?.close();
  await vaultLine?.close();
  await platform?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  output: string;
}

function command(program: string, args: string[], more: Record<string, string>): [ChildProcess, Promise<Ended>] {
  const files = program === 'start' ? ['main.ts'] : ['cli/platform.ts', program];
  const child = spawn(process.execPath, [join(root, 'src', files[0] ?? ''), ...files.slice(1), ...args], {
    cwd: root,
    env: {
      ...programEnv,
      NODE_ENV: 'test',
      PLATFORM_DIR: folder,
      ...keys,
      DATABASE_URL: asServerRole(mainLine.url),
      MIGRATION_DATABASE_URL: mainLine.url,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  return [child, new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))];
}

const vaultEnv = () => vaultSettingsOf(vaultLine.url);
const run = (program: string, args: string[] = [], more: Record<string, string> = vaultEnv()): Promise<Ended> =>
  command(program, args, more)[1];
const move = () => run('move-cards');

/** The card of before can be charged. */
async function charge(): Promise<void> {
  const body = { paymentInstrumentId: instrumentId, amount: 100, currency: 'USD' };
  const { payment } = await clientOf(platform, account.subKey).ok('/payments/process', body);
  expect(payment.status).toBe('succeeded');
}

async function cardsIn(databaseUrl: string): Promise<{ count: number; digest: string | null }> {
  const { rows } = await asOwner<{ count: number; digest: string | null }>(
    { databaseUrl },
    `SELECT count(*)::int AS count, md5(string_agg(c::text, ',' ORDER BY id)) AS digest FROM vault.cards c`,
  );
  return rows[0] ?? { count: 0, digest: null };
}

describe('moving the cards of an installation', { timeout: 300_000 }, () => {
  test('before it, what is started with VAULT_DATABASE_URL is refused with the next step, and nothing changes', async () => {
    const before = await cardsIn(database);
    for (const [program, args] of [
      ['start', []],
      ['migrate', []],
      ['keys', ['check']],
      ['backup', [join(folder, 'early')]],
    ] as [string, string[]][]) {
      const { code, output } = await run(program, args, { ...vaultEnv(), PORT: '1' });
      expect([program, code, output]).toEqual([
        program,
        1,
        expect.stringContaining('still in the database of DATABASE_URL. Run `platform move-cards` first'),
      ]);
    }
    expect(await cardsIn(database)).toEqual(before);
    await charge();
  });

  test('while servers run it is refused, and moves nothing', async () => {
    const before = await cardsIn(database);
    expect(await move()).toMatchObject({ code: 1, output: expect.stringContaining('stop all servers, and run this') });
    expect([await cardsIn(database), (await cardsIn(vaultUrl)).count]).toEqual([before, 0]);
  });

  // The statement before which the command is killed; after it, if the text says so, the database still runs it.
  test.each<[string, RegExp]>([
    ['before the copy', /UPDATE vault\.installation/],
    ['in the middle of the copy', /COPY vault\.cards/],
    ['before it compares the two', /md5\(ROW/],
    ['before it asks for servers', /pg_stat_activity/],
    ['before it locks the cards', /LOCK TABLE vault\.place/],
    ['before it closes the old table', /CREATE TRIGGER/],
    ['before it empties the old table', /TRUNCATE/],
    ['before it notes the place', /UPDATE vault\.place/],
  ])('killed with kill -9 %s, it has changed nothing for the servers', async (_step, text) => {
    await platform.close();
    const before = await cardsIn(database);
    const [child, ended] = command('move-cards', [], vaultEnv());
    let killed = 0;
    onStatement = (statement) => {
      if (text.test(statement) && killed++ === 0) child.kill('SIGKILL');
    };
    expect((await ended).code).toBe(null);
    onStatement = () => {};
    expect(killed).toBeGreaterThan(0);
    expect(await cardsIn(database)).toEqual(before);
    platform = await startTestPlatform({ databaseUrl: database, env: keys, vault: 'within' });
    await charge();
  });

  test('killed after its last step it is done; the cards are the same, and the next run says so', async () => {
    await platform.close();
    const before = await cardsIn(database);
    const [child, ended] = command('move-cards', [], vaultEnv());
    let noted = false;
    onStatement = (statement) => {
      noted ||= /UPDATE vault\.place/.test(statement);
      if (noted && /COMMIT/.test(statement)) child.kill('SIGKILL');
    };
    await ended;
    onStatement = () => {};
    // The server has the statement, and runs it whether or not the command lives.
    await expect.poll(async () => (await cardsIn(database)).count).toBe(0);
    expect(await cardsIn(vaultUrl)).toEqual(before);
    expect(await move()).toEqual({
      code: 0,
      output:
        'The cards are in the database of VAULT_DATABASE_URL: there is nothing to move. Start the servers with it.\n',
    });
  });

  test('after it, old settings are refused, no server can store a card in the old place, and cards are charged', async () => {
    const { code, output } = await run('start', [], { PORT: '1' });
    expect([code, output]).toEqual([1, expect.stringContaining('set VAULT_DATABASE_URL to it')]);
    await expect(
      asOwner({ databaseUrl: database }, `INSERT INTO vault.cards (id) VALUES ('card_late')`),
    ).rejects.toMatchObject({ code: '57P03' });
    const [other, next] = [await postgres.emptyDatabase(), await postgres.emptyDatabase()];
    expect(await run('migrate', [], vaultSettingsOf(other))).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not that of the cards of this installation'),
    });
    const same = await run('migrate', [], vaultSettingsOf(database.replace('127.0.0.1', 'localhost')));
    expect(same.output).toContain('leads to a database with the tables of the platform');
    // Another installation, which has no card yet, must not take these.
    const installed = { DATABASE_URL: asServerRole(next), MIGRATION_DATABASE_URL: next };
    expect((await run('migrate', [], { ...installed, ...vaultEnv() })).output).toContain(
      'the cards of another installation',
    );
    const mixedUp = { DATABASE_URL: asServerRole(vaultUrl), MIGRATION_DATABASE_URL: vaultUrl };
    expect((await run('migrate', [], { ...mixedUp, ...vaultSettingsOf(next) })).output).toContain(
      'DATABASE_URL leads to the database of the vault',
    );
    expect((await run('keys', ['check'])).output).toMatch(/\ntest: 230\d stored secrets; the first key/);
    platform = await startTestPlatform({ databaseUrl: database, env: { ...keys, ...vaultEnv() }, vault: 'within' });
    await charge();
    const tokenized = await clientOf(platform, account.subKey).ok('/payment-instruments/tokenize', {
      cardNumber: '4000056655665556',
      expMonth: 12,
      expYear: 2035,
      cvc: '123',
    });
    expect(tokenized.token).toMatch(/^tok_/);
    expect((await cardsIn(database)).count).toBe(0);
  });
});
