// guards: src/adapters/embedded-idp src/iam/identity src/database src/server.ts
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';

let databaseUrl: string;
let client: pg.Client;
const started: ServerProcess[] = [];
const key = () => randomBytes(32).toString('base64');
const env: Record<string, string> = { VAULT_KEYS: `test:${key()}`, FINGERPRINT_KEY: key(), IDP_SECRET: key() };

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(async () => {
  for (const server of started) await server.kill();
  await client.end();
  await dropDatabase(databaseUrl);
});

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess({ ...env, DATABASE_URL: databaseUrl });
  started.push(server);
  return server;
}

const countOf = async (sql: string) =>
  Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`)).rows[0]?.n);
const rolesHere = async () =>
  (
    await client.query<{ roles: string[] }>(
      `SELECT "platformRoles" AS roles FROM iam_users WHERE "idpUserId" = 'user_1'`,
    )
  ).rows[0]?.roles;

test('a server killed between a change at the provider and its webhook: the next start sends it once', async () => {
  const first = await start();
  await client.query(
    `INSERT INTO idp."user" (id, name, email, "emailVerified", "createdAt", "updatedAt", "publicMetadata")
      VALUES ('user_1', 'a', 'a@example.com', true, now(), now(), '{"platformRoles": ["superadmin"]}')`,
  );
  await expect.poll(rolesHere).toEqual(['superadmin']);
  const taken = await countOf('idp_processed_events');

  // The message is in flight and cannot be recorded: the server is killed at this moment.
  await client.query('BEGIN; LOCK TABLE idp_processed_events IN ACCESS EXCLUSIVE MODE');
  await changeElsewhere(`UPDATE idp."user" SET "publicMetadata" = '{"platformRoles": []}' WHERE id = 'user_1'`);
  await expect
    .poll(() => countOf(`pg_locks WHERE NOT granted AND relation = 'idp_processed_events'::regclass`))
    .toBeGreaterThan(0);
  await first.kill();
  await client.query('ROLLBACK');
  await expect
    .poll(() => countOf(`pg_stat_activity WHERE datname = current_database() AND application_name = 'idp'`))
    .toBe(0);
  expect([await rolesHere(), await countOf('idp.outbox')]).toEqual([['superadmin'], 1]);

  await start();
  await expect.poll(rolesHere).toEqual([]);
  await expect.poll(() => countOf('idp.outbox')).toBe(0);
  expect(await countOf('idp_processed_events')).toBe(taken + 1);
});

/** On a separate connection, as the provider's console would. */
async function changeElsewhere(sql: string): Promise<void> {
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query(sql);
  await other.end();
}
