import { asideSchemas } from '../move/aside-schema.ts';
import { type Queryable, queryRows, sql } from '../sql.ts';

/** A table whose rows a backup contains, and its columns that are stored. */
export interface Table {
  schema: string;
  name: string;
  columns: string[];
}

export interface Sequence {
  schema: string;
  name: string;
  /** Null when it was not used yet. */
  lastValue: string | null;
}

/**
 * Every table of the database in the order of its name, but for what a restore writes itself, the record of migrations
 * and where the cards are, unlogged tables, whose contents PostgreSQL itself does not keep, and what partners who moved
 * to another cell left.
 */
export function tablesOf(database: Queryable): Promise<Table[]> {
  return queryRows<Table>(
    database,
    sql`
      SELECT n.nspname AS schema, c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT LIKE 'pg\\_%'
        AND n.nspname <> 'information_schema' AND c.relname <> '_prisma_migrations'
        AND NOT (n.nspname = 'vault' AND c.relname IN ('place', 'installation'))
        AND n.nspname !~ ${asideSchemas}
      GROUP BY n.nspname, c.relname
      ORDER BY n.nspname, c.relname`,
  );
}

export function sequencesOf(database: Queryable): Promise<Sequence[]> {
  return queryRows<Sequence>(
    database,
    sql`
      SELECT schemaname AS schema, sequencename AS name, last_value::text AS "lastValue"
      FROM pg_sequences
      WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'
      ORDER BY 1, 2`,
  );
}

/** Whether the rows of a table are in the database of the vault, if the cards have one of their own. */
export function isOfVault({ schema }: Pick<Table, 'schema'>): boolean {
  return schema === 'vault';
}

export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
}

export function copyStatement({ schema, name, columns }: Table, direction: 'FROM stdin' | 'TO STDOUT'): string {
  return `COPY ${quoted(schema, name)} (${columns.map((column) => quoted(column)).join(', ')}) ${direction}`;
}
