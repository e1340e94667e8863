import type { Env } from '../env.ts';
import { type KeyRing, parseKeyRing } from '../vault/key-ring.ts';
import { rewrapSecret } from '../vault/secrets.ts';
import { contextOf } from './signing.ts';

/**
 * Wraps signing secrets anew under the newest key of the ring, up to `limit` of the present and `limit` of the replaced ones, and
 * says how many. At 0 none is left under the older keys. Deleted endpoints are no exception: their rows stay, and stay readable.
 */
export async function rewrapSigningSecrets(
  { pool, config }: Pick<Env, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  return (await rewrapColumn(pool, ring, 'secret', limit)) + (await rewrapColumn(pool, ring, 'previousSecret', limit));
}

async function rewrapColumn(
  pool: Env['pool'],
  ring: KeyRing,
  column: 'secret' | 'previousSecret',
  limit: number,
): Promise<number> {
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of a stored secret is the id of its key.
  const find = `SELECT id, "${column}" AS sealed FROM webhook_endpoints WHERE split_part("${column}", '.', 2) = ANY ($1) LIMIT $2`;
  const { rows } = await pool.query<{ id: string; sealed: string }>(find, [olderIds, limit]);
  const fresh = rows.map(({ id, sealed }) => rewrapSecret(ring, sealed, contextOf(id)));
  // Compared again, so that a secret that was replaced meanwhile is not put back.
  const replace = `UPDATE webhook_endpoints w SET "${column}" = n.fresh FROM unnest($1::text[], $2::text[], $3::text[]) AS n (id, sealed, fresh) WHERE w.id = n.id AND w."${column}" = n.sealed`;
  const { rowCount } = await pool.query(replace, [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), fresh]);
  return rowCount ?? 0;
}
