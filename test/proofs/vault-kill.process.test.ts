// guards: src/unit-of-work src/database src/domains/instruments src/adapters/vault
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { purgeUnclaimedCards } from '../../src/domains/instruments/jobs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { clientOf } from '../support/client.ts';
import { dropDatabase, freshDatabase, vaultDatabaseOf } from '../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../support/database-switch.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { vaultSettingsOf } from '../support/vault-settings.ts';

const env: Record<string, string> = newSecrets();
const clock = manualClock(new Date());
let database: string;
let line: DatabaseSwitch;
let observer: TestPlatform;
let account: SeededAccount;
let onStatement: (text: string) => void = () => {};

beforeAll(async () => {
  database = await freshDatabase();
  Object.assign(env, vaultSettingsOf(await vaultDatabaseOf(database)));
  line = await openDatabaseSwitch(database, (bytes) => onStatement(bytes.toString('latin1')));
  observer = await startTestPlatform({ databaseUrl: database, env, clock, vault: 'within' });
  setWaits(observer.services.pool, { runningCallMs: 400 });
  account = await (await seedPartner(observer)).account();
});
afterAll(async () => {
  await observer?.close();
  await line?.close();
  await dropDatabase(database);
});

async function count(table: string): Promise<number> {
  const { pool, vaultDatabase } = observer.services;
  const { rows } = await (table === 'vault.cards' ? vaultDatabase.pool : pool).query<{ n: number }>(
    `SELECT count(*) AS n FROM ${table}`,
  );
  return rows[0]?.n ?? -1;
}

const start = (): Promise<ServerProcess> =>
  startServerProcess({ ...env, DATABASE_URL: asServerRole(line.url), MIGRATION_DATABASE_URL: database });

const card = { cardNumber: '4242424242424242', expMonth: 12, expYear: new Date().getUTCFullYear() + 3, cvc: '123' };

test.each<[string, string, object, RegExp]>([
  ['/payment-instruments/tokenize', 'tokens', card, /INSERT INTO "public"."tokens"/],
  [
    '/payment-instruments/create-from-token',
    'payment_instruments',
    { token: 'tok_visa', customerData: { email: 'payer@example.com' } },
    /INSERT INTO "public"."payment_instruments"/,
  ],
])(
  '%s killed with kill -9 between its two databases leaves a card that nothing refers to, and its repeat is 200',
  {
    timeout: 180_000,
  },
  async (path, table, body, text) => {
    const [cards, made] = [await count('vault.cards'), await count(table)];
    const headers = { 'Idempotency-Key': `killed-${table}` };
    const server = await start();
    let killed = false;
    onStatement = (statement) => {
      killed ||= text.test(statement) && server.process.kill('SIGKILL');
    };
    await expect(clientOf(server, account.subKey).call(path, body, { headers })).rejects.toThrow();
    await server.exited;
    onStatement = () => {};
    expect(killed).toBe(true);
    // The database ends the transaction of a client that is gone.
    await expect.poll(() => count(table)).toBe(made);
    expect(await count('vault.cards')).toBe(cards + 1);

    // The process counts as alive for a moment. The server after it is the observer.
    const repeat = async () => {
      const { status, headers: received } = await account.api.call(path, body, { headers });
      return [status, received.get('Idempotent-Replayed')];
    };
    await expect.poll(repeat).toEqual([200, null]);
    expect([await count('vault.cards'), await count(table)]).toEqual([cards + 2, made + 1]);
  },
);

test('the job removes those cards after an hour, and every instrument has its card', async () => {
  const { rows } = await observer.services.pool.query<{ cardId: string }>('SELECT "cardId" FROM payment_instruments');
  clock.advance(2 * 3_600_000);
  // The two of the calls that were killed, and that of the token, which has expired.
  expect(await purgeUnclaimedCards(observer.services)).toBe(3);
  const { rows: left } = await observer.services.vaultDatabase.pool.query<{ id: string }>('SELECT id FROM vault.cards');
  expect(left.map(({ id }) => id).sort()).toEqual(rows.map(({ cardId }) => cardId).sort());
});
