import type { Pool } from 'pg';
import type { KeyContext } from '../graph/context.ts';
import { tenantSql } from '../auth/tenancy.ts';
import type { LedgerAccount } from './postings.ts';

export { type Movement, postingPart } from './postings.ts';
export { reconcileBooks } from './jobs.ts';
export { type BooksReport, verifyBooks } from './verify-books.ts';

/** What stands in one account of the books. */
export interface Balance {
  platformAccountId: string;
  currency: string;
  account: LedgerAccount;
  /** Debits positive, credits negative. */
  balance: number;
}

/** The balances within the reach of a key, read without scanning postings. */
export async function readBalances({ env, caller }: KeyContext): Promise<Balance[]> {
  const values: unknown[] = [];
  const tenant = tenantSql(caller, (value) => `$${values.push(value)}`);
  const text = `SELECT t."platformAccountId", t.currency, t.account, sum(t.balance)::bigint AS balance FROM ledger.balances t WHERE ${tenant} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT ${balancesMax}`;
  return (await env.pool.query<Balance>({ name: `balances-of-${caller.kind}`, text, values })).rows;
}

const balancesMax = 10_000;

/** One posting as it stands in the books. */
export interface PostingRow {
  movementId: string;
  account: LedgerAccount;
  currency: string;
  amount: number;
  createdAt: Date;
}

/** What a payment has posted, the oldest first. The caller has made sure that it may be seen. */
export async function postingsOfPayment(pool: Pool, paymentId: string): Promise<PostingRow[]> {
  const text =
    'SELECT "movementId", account, currency, amount, "createdAt" FROM ledger.postings WHERE "paymentId" = $1 ORDER BY "createdAt", "movementId", account LIMIT 1000';
  return (await pool.query<PostingRow>({ name: 'postings-of-payment', text, values: [paymentId] })).rows;
}
