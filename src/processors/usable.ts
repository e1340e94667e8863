import type { Env } from '../env.ts';
import type { ConnectionRow } from './connection.ts';

/** A processor a charge may be sent to, with all that a call there needs. */
export interface ChosenProcessor extends ConnectionRow {
  type: string;
}

/**
 * Whether a charge may go to processor `p`. Of a type this server can speak to, too: one that nobody can ask would leave the
 * payment in processing for ever. `placeholders` are the statement's.
 */
export function usableSql({ types, currency }: { types: string; currency: string }): string {
  return `p.enabled AND p.connected AND p.type = ANY(${types}) AND (cardinality(p."supportedCurrencies") = 0 OR ${currency} = ANY(p."supportedCurrencies"))`;
}

/** The first of these that is usable now. */
export async function firstUsable(
  { pool, processors }: Pick<Env, 'pool' | 'processors'>,
  processorIds: readonly string[],
  currency: string,
): Promise<ChosenProcessor | null> {
  const { rows } = await pool.query<ChosenProcessor>({
    name: 'first-usable-processor',
    text: firstOf,
    values: [processorIds, [...processors.keys()], currency],
  });
  return rows[0] ?? null;
}

const firstOf = `SELECT p.id, p.type, p.options, p.secrets FROM processors p WHERE p.id = ANY($1) AND ${usableSql({ types: '$2', currency: '$3' })} ORDER BY array_position($1, p.id) LIMIT 1`;
