import { type Queryable, queryRows, sql } from '../sql.ts';

/**
 * How many stored secrets each key of the vault's ring opens: cards, signing secrets, credentials, KYB values. `vault`
 * is the database that has the cards.
 */
export async function usedVaultKeys(database: Queryable, vault: Queryable): Promise<Map<string, number>> {
  const cards = await queryRows<KeyUse>(
    vault,
    sql`SELECT "keyId", count(*)::int AS count FROM vault.cards GROUP BY "keyId"`,
  );
  // The second part of a stored secret is the id of its key.
  const secrets = await queryRows<KeyUse>(
    database,
    sql`
      SELECT "keyId", count(*)::int AS count
      FROM (
        SELECT split_part(secret, '.', 2) AS "keyId" FROM webhook_endpoints
        UNION ALL SELECT split_part("previousSecret", '.', 2) FROM webhook_endpoints WHERE "previousSecret" IS NOT NULL
        UNION ALL SELECT split_part(value, '.', 2) FROM kyb_requirements WHERE value IS NOT NULL
        UNION ALL SELECT split_part(s.value, '.', 2) FROM processors, jsonb_each_text(secrets) s
      ) stored
      GROUP BY "keyId"`,
  );
  const used = new Map<string, number>();
  for (const { keyId, count } of [...cards, ...secrets]) used.set(keyId, (used.get(keyId) ?? 0) + count);
  return new Map([...used].sort(([one], [other]) => (one < other ? -1 : 1)));
}

interface KeyUse {
  keyId: string;
  count: number;
}
