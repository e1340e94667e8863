import pg from 'pg';
import type { Config } from '../runtime/config.ts';
import { execute, type Queryable, queryRow, raw, sql } from './sql.ts';

/** What the server ends by itself, in milliseconds: a statement, and a transaction whose process sends nothing more. */
const timeouts = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 15_000 };
/** The tables of the embedded identity provider have a schema of their own, and no name that `public` has. */
const searchPath = '"$user", public, idp';

/** The URL past a pooler in transaction mode; null without a pooler. */
export function directUrlOf({ database }: Pick<Config, 'database'>): string | null {
  return database.kind === 'server' ? (database.directUrl ?? null) : null;
}

/**
 * The session settings of a connection. A pooler gives each transaction to another session, and refuses most parameters
 * of a start: behind one the settings are those of the role.
 */
export function sessionSettings(isPooled: boolean, schema?: 'idp'): pg.ClientConfig {
  return isPooled ? {} : { ...timeouts, ...(schema && { options: `-c search_path=${schema}` }) };
}

/** Makes the session settings those of the role, in this database. They apply to connections made afterwards. */
export async function keepSessionSettings(direct: Queryable): Promise<void> {
  const row = await queryRow<{ database: string; path: string; timeout: string }>(
    direct,
    sql`
      SELECT
        current_database() AS database,
        current_setting('search_path') AS path,
        current_setting('statement_timeout') AS timeout`,
  );
  // Two processes that change one entry at once would fail.
  if (!row || (row.path === searchPath && row.timeout === `${timeouts.statement_timeout / 1_000}s`)) return;
  const role = `ALTER ROLE CURRENT_USER IN DATABASE ${pg.escapeIdentifier(row.database)}`;
  await execute(direct, raw(`${role} SET search_path = ${searchPath}`));
  for (const [name, ms] of Object.entries(timeouts)) await execute(direct, raw(`${role} SET ${name} = ${ms}`));
}
