import type pg from 'pg';
import { printTable } from './table.ts';

/** Below this a table is part of "others". */
const shownFrom = 20;

/**
 * Prints by how many bytes each table has grown for each charge, with its indexes. `charge` runs some thousand charges
 * and resolves to their number.
 */
export async function printDisk(pool: pg.Pool, charge: () => Promise<number>): Promise<void> {
  await charge();
  await pool.query('VACUUM');
  const before = await sizes(pool);
  const charges = await charge();
  await pool.query('VACUUM');
  const grown = [...(await sizes(pool))].map(
    ([table, bytes]) => [table, (bytes - (before.get(table) ?? 0)) / charges] as const,
  );
  const shown = grown.filter(([, bytes]) => bytes >= shownFrom).sort(([, left], [, right]) => right - left);
  const sum = (rows: readonly (readonly [string, number])[]): number => rows.reduce((all, [, bytes]) => all + bytes, 0);
  console.log(`Growth of the tables by ${charges} charges, with indexes, after VACUUM:`);
  printTable(
    ['table', 'bytes a charge'],
    [
      ...shown.map(([table, bytes]) => [table, bytes.toFixed(0)]),
      ['others', (sum(grown) - sum(shown)).toFixed(0)],
      ['all', sum(grown).toFixed(0)],
    ],
  );
}

async function sizes(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ table: string; bytes: string }>(
    `SELECT schemaname || '.' || relname AS table, pg_total_relation_size(relid)::text AS bytes FROM pg_stat_user_tables`,
  );
  return new Map(rows.map(({ table, bytes }) => [table, Number(bytes)]));
}
