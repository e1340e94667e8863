import { mayChargeSql } from '../../auth/standing.ts';
import { queryRow, type Sql, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import type { ConnectionRow } from './connection.ts';

/** A processor a charge may be sent to, with all that a call to it needs. */
export interface ChosenProcessor extends ConnectionRow {
  type: string;
}

/**
 * Whether a charge may go to processor `p`. `types` are those this server has an adapter for: a charge at any other
 * would stay in processing without an end.
 */
export function usableSql({ types, currency }: { types: Iterable<string>; currency: string | Sql }): Sql {
  return sql`
    p.enabled AND p.connected AND p.type = ANY(${[...types]})
    AND (cardinality(p."supportedCurrencies") = 0 OR ${currency} = ANY(p."supportedCurrencies"))`;
}

/** The first of these processors that is usable now. None if their account may not charge. */
export async function findUsableProcessor(
  { pool, processors }: Pick<Services, 'pool' | 'processors'>,
  processorIds: readonly string[],
  currency: string,
): Promise<ChosenProcessor | null> {
  const processor = await queryRow<ChosenProcessor>(
    pool,
    sql`
      SELECT p.id, p.type, p.options, p.secrets
      FROM processors p
      JOIN processing_accounts a ON a.id = p."platformAccountId"
      JOIN partners owner ON owner.id = a."partnerId"
      WHERE p.id = ANY(${processorIds}) AND ${mayChargeSql} AND ${usableSql({ types: processors.keys(), currency })}
      ORDER BY array_position(${processorIds}::text[], p.id)
      LIMIT 1`,
  );
  return processor ?? null;
}
