import type pg from 'pg';
import { type Environment, environmentOf } from '../../auth/modes.ts';
import type { KeyContext } from '../../call/context.ts';
import { batched } from '../../database/batched.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import type { Mode } from '../../lib/ids.ts';

const storesMax = 100;
const accountsMax = 100;

type ReadStoreIds = (accountId: string) => Promise<string[]>;

const readers = new WeakMap<pg.Pool, ReadStoreIds>();

/** The first stores of an account, the oldest first. Those of calls that arrive together are read by one statement. */
function readStoreIds(pool: pg.Pool, accountId: string): Promise<string[]> {
  let read = readers.get(pool);
  if (!read) {
    read = batched((accountIds) => storeIdsOf(pool, accountIds), { most: accountsMax });
    readers.set(pool, read);
  }
  return read(accountId);
}

/** The array is in a subquery, which hides its value from the planner, so that the statement is planned once. */
async function storeIdsOf(pool: pg.Pool, accountIds: readonly string[]): Promise<string[][]> {
  const rows = await queryRows<{ accountId: string; ids: string[] }>(
    pool,
    sql`
      SELECT
        a.id AS "accountId",
        ARRAY(
          SELECT s.id
          FROM stores s
          WHERE s."platformAccountId" = a.id
          ORDER BY s."createdAt", s.id
          LIMIT ${constant(storesMax)}
        ) AS ids
      FROM unnest((SELECT ${[...new Set(accountIds)]}::text[])) a(id)`,
  );
  const byAccount = new Map(rows.map(({ accountId, ids }) => [accountId, ids]));
  return accountIds.map((accountId) => byAccount.get(accountId) ?? []);
}

export interface AuthTestResult {
  environment: Environment;
  mode: Mode;
  keyKind: 'partner' | 'sub';
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  partnerStatus: 'active' | 'suspended';
  platformAccountId: string | null;
  storeIds: string[] | null;
}

/** Describes the key of the request. Only the stores need a query; the rest is known from its authentication. */
export async function readAuthTest({ caller, tenant, services }: KeyContext): Promise<AuthTestResult> {
  const { keyId, keyPrefix, isSuspended = false } = caller;
  const { mode, partnerId, platformAccountId } = tenant;
  const environment = environmentOf(services.config);
  const partnerStatus = isSuspended ? ('suspended' as const) : ('active' as const);
  const shared = { environment, mode, keyId, keyPrefix, partnerId, partnerStatus };
  if (platformAccountId === undefined)
    return { ...shared, keyKind: 'partner', platformAccountId: null, storeIds: null };
  const storeIds = await readStoreIds(services.pool, platformAccountId);
  return { ...shared, keyKind: 'sub', platformAccountId, storeIds };
}
