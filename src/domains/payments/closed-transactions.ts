import { recordset } from '../../database/recordset.ts';
import { identifier, type Sql, sql } from '../../database/sql.ts';
import { assign } from '../../write/statement.ts';
import type { TransactionRow } from './payment-rows.ts';

const columns = { status: 'text', processorReference: 'text', failureCode: 'text', updatedAt: 'timestamptz' };
const rowColumns = { paymentId: 'text', id: 'text', ...columns };

/** The columns of a transaction that change when it ends. */
export const closedColumns = Object.keys(columns);

/**
 * The CTE `closed` that ends one transaction of each payment of the CTE `guard`. It has the ids of the transactions.
 */
export function closedPart(transactions: readonly TransactionRow[], guard: string): Sql {
  return sql`closed AS (
    UPDATE transactions t
    SET ${assign(closedColumns)}
    FROM ${identifier(guard)} g
    JOIN ${recordset('r', rowColumns, 'id', transactions)} ON r."paymentId" = g.id
    WHERE t.id = r.id
    RETURNING t.id
  )`;
}
