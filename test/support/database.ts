import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPool } from '../../src/database/pool.ts';
import { withDatabase } from '../../src/local/postgres-programs.ts';

/**
 * The URL of a new, migrated and empty database on the run's server. It is deleted at the end of the run, or earlier by
 * `dropDatabase`.
 */
export async function freshDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template_migrated STRATEGY FILE_COPY`);
  return withDatabase(databaseServer(), name);
}

/** The databases for cards that were made beside another one. */
const vaults = new Set<string>();

/** The URL of the database for the cards of another one, which is made if there is none yet. */
export async function vaultDatabaseOf(url: string): Promise<string> {
  const vaultUrl = new URL(url);
  vaultUrl.pathname += '_vault';
  const name = vaultUrl.pathname.slice(1);
  if (!vaults.has(name)) await onServer(`CREATE DATABASE ${name} TEMPLATE template_vault STRATEGY FILE_COPY`);
  vaults.add(name);
  return withDatabase(databaseServer(), name);
}

/** The URL of a new, empty database without migrations. */
export async function emptyDatabase(): Promise<string> {
  const name = `empty_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  return withDatabase(databaseServer(), name);
}

export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const own = vaults.delete(`${name}_vault`) ? [name, `${name}_vault`] : [name];
  for (const one of own) await onServer(`DROP DATABASE IF EXISTS ${one} WITH (FORCE)`);
}

/** Runs statements as the owner of the tables, past the rights of the platform's role. */
export async function asOwner<Row extends pg.QueryResultRow>(
  { databaseUrl }: { databaseUrl: string },
  sql: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return values.length === 0 ? await client.query<Row>(sql) : await client.query<Row>(sql, values);
  } finally {
    await client.end();
  }
}

/** The run's server, for a test that creates its own databases. */
function databaseServer(): string {
  return inject('postgresUrl');
}

/** Kept between databases: a connection takes as long as a third of a new database. */
let server: pg.Pool | undefined;

async function onServer(sql: string): Promise<void> {
  server ??= openPool({ connectionString: databaseServer(), max: 2, allowExitOnIdle: true });
  await server.query(sql);
}
