import { execute, identifier, queryRows, sql } from '../../database/sql.ts';
import { type KeyRing, parseKeyRing } from '../../kit/encryption/key-ring.ts';
import { rewrapSecret } from '../../kit/encryption/secrets.ts';
import type { Services } from '../../services.ts';
import { contextOf } from './signing.ts';

/**
 * Rewraps signing secrets with the newest key of the ring: at most `limit` current and `limit` previous secrets.
 * Returns how many; 0 means that none is left under an older key. The secrets of deleted endpoints are included,
 * because their rows stay.
 */
export async function rewrapSigningSecrets(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  return (await rewrapColumn(pool, ring, 'secret', limit)) + (await rewrapColumn(pool, ring, 'previousSecret', limit));
}

async function rewrapColumn(
  pool: Services['pool'],
  ring: KeyRing,
  name: 'secret' | 'previousSecret',
  limit: number,
): Promise<number> {
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  const column = identifier(name);
  // The second part of an encrypted secret is the id of its key.
  const rows = await queryRows<{ id: string; encrypted: string }>(
    pool,
    sql`
SELECT id, ${column} AS encrypted
FROM webhook_endpoints
WHERE split_part(${column}, '.', 2) = ANY(${olderIds})
LIMIT ${limit}`,
  );
  const ids = rows.map(({ id }) => id);
  const before = rows.map(({ encrypted }) => encrypted);
  const after = rows.map(({ id, encrypted }) => rewrapSecret(ring, encrypted, contextOf(id)));
  // The old value is compared again, so that a secret that was rotated in the meantime is not restored.
  return execute(
    pool,
    sql`
UPDATE webhook_endpoints w
SET ${column} = n.after
FROM unnest(${ids}::text[], ${before}::text[], ${after}::text[]) AS n (id, before, after)
WHERE w.id = n.id AND w.${column} = n.before`,
  );
}
