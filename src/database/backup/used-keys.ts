import { type Queryable, queryRows, sql } from '../sql.ts';

/** How many stored secrets each key of the vault's ring opens: cards, signing secrets, credentials, KYB values. */
export async function usedVaultKeys(database: Queryable): Promise<Map<string, number>> {
  // The second part of a stored secret is the id of its key.
  const rows = await queryRows<{ keyId: string; count: number }>(
    database,
    sql`
      SELECT "keyId", count(*)::int AS count
      FROM (
        SELECT "keyId" FROM vault.cards
        UNION ALL SELECT split_part(secret, '.', 2) FROM webhook_endpoints
        UNION ALL SELECT split_part("previousSecret", '.', 2) FROM webhook_endpoints WHERE "previousSecret" IS NOT NULL
        UNION ALL SELECT split_part(value, '.', 2) FROM kyb_requirements WHERE value IS NOT NULL
        UNION ALL SELECT split_part(s.value, '.', 2) FROM processors, jsonb_each_text(secrets) s
      ) stored
      GROUP BY "keyId"
      ORDER BY "keyId"`,
  );
  return new Map(rows.map(({ keyId, count }) => [keyId, count]));
}
