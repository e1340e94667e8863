import { execute, queryRows, sql } from '../../database/sql.ts';
import type { KybRequirement } from '../../generated/prisma/client.ts';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';
import { decryptSecret, encryptSecret, rewrapSecret } from '../../kit/encryption/secrets.ts';
import type { Services } from '../../services.ts';
import type { KybValue } from './requirements.ts';

type Keys = Pick<Services['config'], 'vaultKeys'>;

/** Encrypts a submitted value. It can be decrypted only with the id of its row. */
export function sealValue({ vaultKeys }: Keys, requirementId: string, value: KybValue): string {
  return encryptSecret(parseKeyRing(vaultKeys), JSON.stringify(value), contextOf(requirementId));
}

/** Decrypts a submitted value. Null if nothing was submitted. */
export function openValue({ vaultKeys }: Keys, { id, value }: Pick<KybRequirement, 'id' | 'value'>): KybValue | null {
  if (value === null) return null;
  // written by sealValue, and authenticated by the cipher
  return JSON.parse(decryptSecret(parseKeyRing(vaultKeys), value, contextOf(id))) as KybValue;
}

/**
 * Rewraps up to `limit` values under the newest key of the ring and returns their number. 0 means that none is left
 * under the older keys.
 */
export async function rewrapKybValues(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of a stored secret is the id of its key.
  const rows = await queryRows<{ id: string; value: string }>(
    pool,
    sql`
      SELECT id, value
      FROM kyb_requirements
      WHERE value IS NOT NULL AND split_part(value, '.', 2) = ANY (${olderIds})
      LIMIT ${limit}`,
  );
  const ids = rows.map(({ id }) => id);
  const sealed = rows.map(({ value }) => value);
  const rewrapped = rows.map(({ id, value }) => rewrapSecret(ring, value, contextOf(id)));
  // The old value is compared again, so that one replaced in the meantime is not overwritten.
  return execute(
    pool,
    sql`
      UPDATE kyb_requirements k
      SET value = n.rewrapped
      FROM unnest(${ids}::text[], ${sealed}::text[], ${rewrapped}::text[]) AS n (id, sealed, rewrapped)
      WHERE k.id = n.id AND k.value = n.sealed`,
  );
}

function contextOf(requirementId: string): string {
  return `kyb:${requirementId}`;
}
