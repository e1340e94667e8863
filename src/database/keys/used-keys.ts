import { type Queryable, queryRows, type Sql, sql } from '../sql.ts';

/**
 * The stored secrets of a database other than its cards, and the context of each. The second part of a text is its
 * key's id.
 */
const secrets = sql`
  SELECT secret AS text, 'webhook:' || id AS context FROM webhook_endpoints
  UNION ALL
  SELECT "previousSecret", 'webhook:' || id FROM webhook_endpoints WHERE "previousSecret" IS NOT NULL
  UNION ALL
  SELECT value, 'kyb:' || id FROM kyb_requirements WHERE value IS NOT NULL
  UNION ALL
  SELECT s.value, 'processor:' || p.id || ':' || s.key FROM processors p, jsonb_each_text(p.secrets) s`;

/**
 * How many stored secrets each key of the vault's ring opens: cards, signing secrets, credentials, KYB values. `vault`
 * is the database that has the cards. Clients without the server's parsers read a bigint as a text, so counts are
 * float8, which is exact up to 2^53.
 */
export async function usedVaultKeys(database: Queryable, vault: Queryable): Promise<Map<string, number>> {
  const cards = await queryRows<KeyUse>(
    vault,
    sql`SELECT "keyId", count(*)::float8 AS count FROM vault.cards GROUP BY "keyId"`,
  );
  const others = await queryRows<KeyUse>(
    database,
    sql`SELECT split_part(text, '.', 2) AS "keyId", count(*)::float8 AS count FROM (${secrets}) stored GROUP BY "keyId"`,
  );
  const used = new Map<string, number>();
  for (const { keyId, count } of [...cards, ...others]) used.set(keyId, (used.get(keyId) ?? 0) + count);
  return new Map([...used].sort(([one], [other]) => (one < other ? -1 : 1)));
}

interface KeyUse {
  keyId: string;
  count: number;
}

/** The ids of the keys that cards need, one index probe each. */
const idsOfCards = sql`
  WITH RECURSIVE used AS (
    SELECT min("keyId") AS id FROM vault.cards
    UNION ALL
    SELECT (SELECT min("keyId") FROM vault.cards WHERE "keyId" > used.id) FROM used WHERE used.id IS NOT NULL
  )
  SELECT id FROM used WHERE id IS NOT NULL`;

/** A query of the ids of the keys of the vault's ring that something stored in a database needs. */
export function idsInUse(isVaultAlone: boolean): Sql {
  return isVaultAlone
    ? idsOfCards
    : sql`SELECT id FROM (${idsOfCards}) cards UNION SELECT split_part(text, '.', 2) FROM (${secrets}) stored`;
}
