import { type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';
import { compareWithTestProcessor } from './compare-processor-records.ts';
import {
  type Difference,
  unbalancedPostings,
  wrongBalances,
  wrongDisputes,
  wrongForeignPostings,
  wrongMovements,
  wrongPayments,
  wrongRefunds,
  wrongTestDisputes,
} from './ledger-differences.ts';

export interface LedgerReport {
  postings: number;
  payments: number;
  /** Charges compared with the records of the test processor. */
  charges: number;
  /** Charges left out of that comparison, since their outcome is unknown. */
  unsettled: number;
  differences: Difference[];
}

const checks = [
  unbalancedPostings,
  wrongBalances,
  wrongMovements,
  wrongPayments,
  wrongForeignPostings,
  wrongRefunds,
  wrongDisputes,
  wrongTestDisputes,
];

/**
 * Verifies the ledger of a mode, or of both: postings sum to zero in every currency, balances are the sums of their
 * postings, movements are those of transactions and disputes, the amounts of payments are those of their postings, and
 * the records of the test processor agree with the ledger.
 */
export async function verifyLedger(services: Services, mode: Mode | null = null): Promise<LedgerReport> {
  const { pool } = services;
  const [found, counts, processor] = await Promise.all([
    ledgerDifferences(pool, mode),
    queryRow<{ postings: number; payments: number }>(
      pool,
      sql`
        SELECT
          (SELECT count(*) FROM ledger.postings WHERE ${mode}::text IS NULL OR mode = ${mode}) AS postings,
          (SELECT count(*) FROM payments WHERE ${mode}::text IS NULL OR mode = ${mode}) AS payments`,
    ),
    mode === 'live' ? nothingCompared : compareWithTestProcessor(services),
  ]);
  return {
    postings: counts?.postings ?? 0,
    payments: counts?.payments ?? 0,
    charges: processor.charges,
    unsettled: processor.unsettled,
    differences: [...found, ...processor.differences],
  };
}

/** The differences within the ledger and its payments, without a processor's records. One check after the other. */
export async function ledgerDifferences(database: Queryable, mode: Mode | null = null): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const check of checks) found.push(...(await queryRows<Difference>(database, ofMode(check, mode))));
  return found;
}

/** There is no test processor in live mode. */
const nothingCompared = { charges: 0, unsettled: 0, differences: [] };

function ofMode(check: Sql, mode: Mode | null): Sql {
  return sql`
    SELECT about, message
    FROM (${check}) found
    WHERE ${mode}::text IS NULL OR mode = ${mode}`;
}
