import type pg from 'pg';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { together } from '../../database/together.ts';

const storesMax = 100;
const accountsMax = 100;

type ReadStoreIds = (accountId: string) => Promise<string[]>;

const readers = new WeakMap<pg.Pool, ReadStoreIds>();

/** The first stores of an account, the oldest first. Those of calls that arrive together are read by one statement. */
export function readStoreIds(pool: pg.Pool, accountId: string): Promise<string[]> {
  let read = readers.get(pool);
  if (!read) {
    read = together((accountIds) => storeIdsOf(pool, accountIds), { most: accountsMax });
    readers.set(pool, read);
  }
  return read(accountId);
}

/** The array stands in a subquery, which hides its value from the planner: the statement is planned once. */
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
