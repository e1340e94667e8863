import type { Env } from '../env.ts';
import type { KybRequirement } from '../generated/prisma/client.ts';
import { parseKeyRing } from '../vault/key-ring.ts';
import { decryptSecret, encryptSecret, rewrapSecret } from '../vault/secrets.ts';
import type { KybValue } from './requirements.ts';

type Keys = Pick<Env['config'], 'vaultKeys'>;

/** What was sent, as the row keeps it: it opens in this row and nowhere else. */
export function sealValue({ vaultKeys }: Keys, requirementId: string, value: KybValue): string {
  return encryptSecret(parseKeyRing(vaultKeys), JSON.stringify(value), contextOf(requirementId));
}

/** What was sent, in the clear; null while nothing was. */
export function openValue({ vaultKeys }: Keys, { id, value }: Pick<KybRequirement, 'id' | 'value'>): KybValue | null {
  if (value === null) return null;
  return JSON.parse(decryptSecret(parseKeyRing(vaultKeys), value, contextOf(id))) as KybValue; // sealed above, and authenticated by the cipher
}

/** Wraps up to `limit` values anew under the newest key of the ring, and says how many. At 0 none is left under the older keys. */
export async function rewrapKybValues({ pool, config }: Pick<Env, 'pool' | 'config'>, limit: number): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of a stored secret is the id of its key.
  const find = `SELECT id, value FROM kyb_requirements WHERE value IS NOT NULL AND split_part(value, '.', 2) = ANY ($1) LIMIT $2`;
  const { rows } = await pool.query<{ id: string; value: string }>(find, [olderIds, limit]);
  const fresh = rows.map(({ id, value }) => rewrapSecret(ring, value, contextOf(id)));
  // Compared again, so that a value that was replaced meanwhile is not put back.
  const replace = `UPDATE kyb_requirements k SET value = n.fresh FROM unnest($1::text[], $2::text[], $3::text[]) AS n (id, sealed, fresh) WHERE k.id = n.id AND k.value = n.sealed`;
  const { rowCount } = await pool.query(replace, [rows.map(({ id }) => id), rows.map(({ value }) => value), fresh]);
  return rowCount ?? 0;
}

function contextOf(requirementId: string): string {
  return `kyb:${requirementId}`;
}
