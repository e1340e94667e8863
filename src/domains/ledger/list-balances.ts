import { tenantCondition } from '../../auth/tenancy.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { Balance } from './types.ts';

const balancesMax = 10_000;

/** The balances visible to an API key, read without scanning postings. */
export function listBalances({ services, caller }: KeyContext): Promise<Balance[]> {
  return queryRows(
    services.pool,
    sql`
      SELECT t."platformAccountId", t.currency, t.account, sum(t.balance)::text AS balance
      FROM ledger.balances t
      WHERE ${tenantCondition(caller)}
      GROUP BY 1, 2, 3
      ORDER BY 1, 2, 3
      LIMIT ${constant(balancesMax)}`,
  );
}
