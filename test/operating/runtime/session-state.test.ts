import { afterAll, beforeAll, expect, test } from 'vitest';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { signedIn } from '../../iam/people.ts';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../../support/database-switch.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

let database: string;
let line: DatabaseSwitch;
let platform: TestPlatform;
const sent: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  // What passes the line is what a pooler would see.
  line = await openDatabaseSwitch(database, (bytes) => sent.push(bytes.toString('latin1')));
  platform = await startTestPlatform({
    databaseUrl: line.url,
    env: { DATABASE_DIRECT_URL: asServerRole(database) },
  });
  sent.length = 0; // the owner of the tables has no pooler before it
});
afterAll(async () => {
  await platform?.close();
  await line?.close();
  await dropDatabase(database);
});

/** What would be left in, or asked of, a session that the next transaction does not have. */
const sessionState =
  /\b(?:LISTEN|UNLISTEN|DISCARD|DEALLOCATE|pg_(?:try_)?advisory_(?:lock|unlock)|(?:TEMP|TEMPORARY) TABLE|WITH HOLD)\b|(?<![\sA-Z])SET (?!LOCAL\b)/;

test('behind a pooler no connection has parameters of a start, and no statement leaves state in its session', async () => {
  const partner = await seedPartner(platform);
  const account = await partner.account();
  const { payment } = await account.charge();
  await account.api.ok('/payments/refund', { paymentId: payment['id'] });
  await account.api.ok('/customers/list', {});
  const admin = await signedIn(platform, { platformRoles: ['superadmin'] });
  expect((await admin.iam('/users/list')).status).toBe(200);
  await platform.idp.flush();

  const starts = sent.filter((text) => text.includes('user\0'));
  expect(starts.length).toBeGreaterThan(0);
  for (const start of starts) {
    const names = start
      .slice(8)
      .split('\0')
      .filter((part, index) => index % 2 === 0 && part !== '');
    expect(new Set(names)).toEqual(new Set(['user', 'database', 'application_name', 'client_encoding']));
  }
  expect(sent.filter((text) => sessionState.test(text)).map((text) => sessionState.exec(text)?.[0])).toEqual([]);
});

test('behind a pooler the limits of a session are those of the role', async () => {
  const { rows } = await platform.services.pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
    WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'search_path')`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    statement_timeout: '15000',
    idle_in_transaction_session_timeout: '15000',
    search_path: '"$user", public, idp',
  });
});
