import { queryRow, queryRows, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { compareWithTestProcessor } from './compare-processor-records.ts';
import {
  type Difference,
  unbalancedPostings,
  wrongBalances,
  wrongDisputes,
  wrongForeignPostings,
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
  wrongPayments,
  wrongForeignPostings,
  wrongRefunds,
  wrongDisputes,
  wrongTestDisputes,
];

/**
 * Verifies the whole ledger: postings sum to zero in every currency, balances are the sums of their postings, the
 * amounts of payments are those of their postings, and the records of the test processor agree with the ledger.
 */
export async function verifyLedger(services: Services): Promise<LedgerReport> {
  const { pool } = services;
  const [found, counts, processor] = await Promise.all([
    Promise.all(checks.map((check) => queryRows<Difference>(pool, check))),
    queryRow<{ postings: number; payments: number }>(
      pool,
      sql`
        SELECT
          (SELECT count(*) FROM ledger.postings) AS postings,
          (SELECT count(*) FROM payments) AS payments`,
    ),
    compareWithTestProcessor(services),
  ]);
  return {
    postings: counts?.postings ?? 0,
    payments: counts?.payments ?? 0,
    charges: processor.charges,
    unsettled: processor.unsettled,
    differences: [...found.flat(), ...processor.differences],
  };
}
