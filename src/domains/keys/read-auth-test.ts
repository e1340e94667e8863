import { constant, queryRows, sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';

export interface AuthTestResult {
  mode: Mode;
  keyKind: 'partner' | 'sub';
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  platformAccountId: string | null;
  storeIds: string[] | null;
}

const storesMax = 100;

/** Describes the key of the request. Only the stores need a query; the rest is known from its authentication. */
export async function readAuthTest({ caller, services }: KeyContext): Promise<AuthTestResult> {
  const { mode, keyId, keyPrefix, partnerId } = caller;
  if (caller.kind === 'partnerKey')
    return { mode, keyKind: 'partner', keyId, keyPrefix, partnerId, platformAccountId: null, storeIds: null };
  const { platformAccountId } = caller;
  const rows = await queryRows<{ id: string }>(
    services.pool,
    sql`
      SELECT id
      FROM stores
      WHERE "platformAccountId" = ${platformAccountId}
      ORDER BY "createdAt", id
      LIMIT ${constant(storesMax)}`,
  );
  return { mode, keyKind: 'sub', keyId, keyPrefix, partnerId, platformAccountId, storeIds: rows.map(({ id }) => id) };
}
