import { mayChargeSql } from '../../auth/charging-status.ts';
import { ownRow, visible } from '../../auth/visible.ts';
import type { TenantContext, ViewerContext } from '../../call/context.ts';
import { lockRow } from '../../database/lock-row.ts';
import { queryRow, type Sql, sql } from '../../database/sql.ts';
import type { Processor } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import type { Services } from '../../services.ts';
import type { Write } from '../../unit-of-work/write.ts';
import type { ConnectionRow } from './connection.ts';

/** A processor with the names of its secrets in place of the secrets. */
export type ProcessorRow = Omit<Processor, 'secrets'> & { secretOptions: string[] };

/** Reads a processor that is visible to the caller and locks its row until the transaction ends; 404 otherwise. */
export async function lockProcessor(
  { tenant }: Pick<TenantContext, 'tenant'>,
  { tx }: Pick<Write, 'tx'>,
  processorId: string,
): Promise<Processor> {
  await lockRow(tx, 'processors', processorId);
  return ownRow(tx, tenant, 'processor', processorId);
}

/** A test processor that people may change; 404 for one that they do not see, 400 for another type. */
export async function readTestProcessor(context: ViewerContext, processorId: string): Promise<Processor> {
  const processor = await visible(context, 'processor', processorId);
  if (processor.mode === 'test' && processor.type !== 'test')
    throw invalid('processorId', 'must be of the type test: only a test processor simulates failures');
  return processor;
}

export function withoutSecrets({ secrets, ...processor }: Processor): ProcessorRow {
  // a CHECK constraint limits the column to objects
  return { ...processor, secretOptions: Object.keys(secrets as object).sort() };
}

/** A processor to which a charge may be sent, with the data that a call needs. */
export interface ChosenProcessor extends ConnectionRow {
  type: string;
}

/**
 * The condition that a charge may be sent to processor `p`. `types` are those for which this server has an adapter: a
 * charge at any other would stay in `processing` permanently.
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
