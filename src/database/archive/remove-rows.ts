import { setTimeout } from 'node:timers/promises';
import { execute, type Queryable, raw, sql } from '../sql.ts';
import { readLines } from './archive-file.ts';
import { type Manifest, pathsOf } from './manifest.ts';
import { parseRow } from './verify-file.ts';

/**
 * Removes the rows that a file contains, some thousand in a transaction, so that its locks are kept briefly, and pauses
 * after each for as long as it took, so that charges have at least half of the disk. Rows that are removed already are
 * passed over. At the end their space is made free for new rows.
 */
export async function removeRows(
  client: Queryable,
  manifest: Manifest,
  dir: string,
  onBatch: () => void,
): Promise<void> {
  const table = manifest.series === 'audit' ? raw('audit_rows') : raw('events');
  for await (const lines of readLines(pathsOf(dir, manifest.name).data)) {
    const ids = lines.map((line) => parseRow(line).id);
    const began = performance.now();
    await execute(client, raw('BEGIN'));
    // A trigger allows it for the rows of this file.
    await execute(client, sql`SELECT set_config('platform.archive', ${manifest.name}, true)`);
    await execute(client, sql`DELETE FROM ${table} WHERE id = ANY(${ids})`);
    await execute(client, raw('COMMIT'));
    onBatch();
    await setTimeout(performance.now() - began);
  }
  await execute(client, sql`VACUUM (ANALYZE) ${table}`);
}
