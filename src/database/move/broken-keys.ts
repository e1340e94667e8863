import type pg from 'pg';
import { quoted } from '../backup/backup.ts';
import { fullName } from './partner-tables.ts';
import { type Aside, tableAside } from './set-aside.ts';

/** The foreign keys of which a row that arrived has no other side, which are not checked when it is put. */
export async function brokenKeys(client: pg.Client, { schema, tables }: Aside): Promise<string[]> {
  const { rows: keys } = await client.query<ForeignKey>(`
    SELECT k.conname AS name, n.nspname AS schema, c.relname AS table,
      pn.nspname AS "parentSchema", p.relname AS parent,
      ARRAY(
        SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u (number, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number ORDER BY u.place
      ) AS columns,
      ARRAY(
        SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u (number, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number ORDER BY u.place
      ) AS "parentColumns"
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
    WHERE k.contype = 'f'`);
  const broken: string[] = [];
  for (const key of keys) {
    const table = tables.find((known) => known.schema === key.schema && known.name === key.table);
    if (!table) continue;
    const joined = key.columns.map((column, at) => `p.${quoted(key.parentColumns[at] ?? '')} = t.${quoted(column)}`);
    const given = key.columns.map((column) => `t.${quoted(column)} IS NOT NULL`);
    const { rows } = await client.query(`
      SELECT FROM ${tableAside(schema, table)} t
      WHERE ${given.join(' AND ')}
        AND NOT EXISTS (SELECT FROM ${quoted(key.parentSchema, key.parent)} p WHERE ${joined.join(' AND ')})
      LIMIT 1`);
    if (rows.length > 0) broken.push(`${key.name} of ${fullName(table)}`);
  }
  return broken;
}

interface ForeignKey {
  name: string;
  schema: string;
  table: string;
  parentSchema: string;
  parent: string;
  columns: string[];
  parentColumns: string[];
}
