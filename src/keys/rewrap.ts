import { execute, queryRows, type Sql, sql } from '../database/sql.ts';
import type { Services } from '../services.ts';
import { rewrapSecret } from './envelope.ts';
import { parseKeyRing, rewrapBatch } from './key-ring.ts';

/** A column of texts that `encryptSecret` made, or with `isObject` of JSON objects whose values are such texts. */
export interface SecretColumn {
  table: Sql;
  column: Sql;
  isObject?: boolean;
  /** The context of the secret of a row, or of one in its object. */
  context(id: string, name: string): string;
}

/**
 * Rewraps the secrets of up to `limit` rows with the newest key of the ring and returns the number of rows. 0 means
 * that no secret is left under an older key.
 */
export async function rewrapColumn(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  { table, column, isObject = false, context }: SecretColumn,
  limit = rewrapBatch,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of an encrypted secret is the id of its key.
  const isOlder = (text: Sql) => sql`split_part(${text}, '.', 2) = ANY(${olderIds})`;
  const rows = await queryRows<{ id: string; before: string }>(
    pool,
    sql`
      SELECT id, ${column}::text AS before
      FROM ${table}
      WHERE ${isObject ? sql`EXISTS (SELECT FROM jsonb_each_text(${column}) s WHERE ${isOlder(sql`s.value`)})` : isOlder(column)}
      LIMIT ${limit}`,
  );
  const rewrapped = (id: string, text: string, name = '') => rewrapSecret(ring, text, context(id, name));
  const after = rows.map(({ id, before }) =>
    isObject
      ? JSON.stringify(
          // the object has encrypted secrets only
          JSON.parse(before, (name, value: unknown) =>
            typeof value === 'string' ? rewrapped(id, value, name) : value,
          ),
        )
      : rewrapped(id, before),
  );
  const type = isObject ? sql`jsonb` : sql`text`;
  // The old value is compared, so that one that was replaced in the meantime is not restored.
  return execute(
    pool,
    sql`
      UPDATE ${table} t
      SET ${column} = n.after::${type}
      FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ before }) => before)}::text[], ${after}::text[])
        AS n (id, before, after)
      WHERE t.id = n.id AND t.${column} = n.before::${type}`,
  );
}
