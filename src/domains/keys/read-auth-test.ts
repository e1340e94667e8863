import { type Environment, environmentOf } from '../../auth/sandbox.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';

export interface AuthTestResult {
  environment: Environment;
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
  const environment = environmentOf(services.config);
  const shared = { environment, mode, keyId, keyPrefix, partnerId };
  if (caller.kind === 'partnerKey') return { ...shared, keyKind: 'partner', platformAccountId: null, storeIds: null };
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
  return { ...shared, keyKind: 'sub', platformAccountId, storeIds: rows.map(({ id }) => id) };
}
