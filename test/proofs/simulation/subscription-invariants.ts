import type { Pool } from 'pg';
import { expect } from 'vitest';

/**
 * At most one payment of a period, over all attempts at all processors, captured an amount. `null` checks every period.
 */
export async function expectOneChargeAPeriod(pool: Pool, paymentIds: readonly string[] | null): Promise<void> {
  const { rows } = await pool.query({ name: 'simulation-periods', text: chargedTwice, values: [paymentIds] });
  expect(rows).toEqual([]);
}

/** At the end of the run: the periods match the payments, and no subscription waits for a charge. */
export async function expectPeriodsToBeTrue(pool: Pool): Promise<void> {
  const { rows } = await pool.query(periodsThatDiffer);
  expect(rows).toEqual([]);
}

const chargedTwice = `SELECT p."subscriptionId", p."subscriptionPeriod", array_agg(t.id) AS attempts
  FROM payments p
  JOIN transactions t ON t."paymentId" = p.id
  JOIN test_processor.charges c ON c.reference = t.id AND c.status IN ('authorized', 'captured', 'voided')
  WHERE p."subscriptionPeriod" IS NOT NULL
    AND (
      $1::text[] IS NULL
        OR (p."subscriptionId", p."subscriptionPeriod") IN (
          SELECT q."subscriptionId", q."subscriptionPeriod"
          FROM payments q
          WHERE q.id = ANY($1) AND q."subscriptionPeriod" IS NOT NULL
        )
    )
  GROUP BY 1, 2
  HAVING count(*) > 1`;

const periodsThatDiffer = `SELECT
    s."subscriptionId", s.index, s.status, s.amount, p.status AS payment, p."capturedAmount"
  FROM subscription_periods s
  LEFT JOIN payments p ON p.id = s."paymentId"
  WHERE s.status = 'charging'
    OR (s.status = 'paid') <> (s.amount = 0 OR coalesce(p."capturedAmount", 0) > 0)
    OR (p."capturedAmount" > 0 AND p."capturedAmount" <> s.amount)`;
