import type pg from 'pg';
import { execute, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import type { ModificationNotice } from '../../ports/card-processor.ts';

/** The time from the success of a refund to its failure, for cards whose refunds fail. */
const bankWaitMs = 5_000;
const noticesMax = 100;

/** When a refund of such a card fails. */
export function failureTimeOf(refundedAt: Date): Date {
  return new Date(refundedAt.getTime() + bankWaitMs);
}

/** Fails the refunds that are due by real time, and returns all failures of which the platform was not notified. */
export async function unnotifiedFailures(pool: pg.Pool, now: Date): Promise<ModificationNotice[]> {
  await failRefunds(pool, sql`c."testClockId" IS NULL`, now);
  return listNotices(pool, sql`true`);
}

/** Fails the refunds that are due on a test clock, and returns those of which the platform was not notified. */
export async function failRefundsOn(pool: pg.Pool, testClockId: string, now: Date): Promise<ModificationNotice[]> {
  await failRefunds(pool, sql`c."testClockId" = ${testClockId}`, now);
  return listNotices(pool, sql`c."testClockId" = ${testClockId}`);
}

/** When the next refund on a test clock fails, or failed without the platform being notified. */
export async function nextFailureOn(pool: pg.Pool, testClockId: string): Promise<Date | null> {
  const row = await queryRow<{ at: Date | null }>(
    pool,
    sql`
      SELECT min(f."failsAt") AS at
      FROM test_processor.follow_ups f
      JOIN test_processor.charges c ON c.reference = f."chargeReference"
      WHERE f."failsAt" IS NOT NULL AND f."toldAt" IS NULL AND c."testClockId" = ${testClockId}`,
  );
  return row?.at ?? null;
}

export async function markFailureNotified(pool: pg.Pool, reference: string, now: Date): Promise<void> {
  await execute(pool, sql`UPDATE test_processor.follow_ups SET "toldAt" = ${now} WHERE reference = ${reference}`);
}

/** SQL expression: what was refunded of the charge `c` as far as the platform was notified. */
export const toldRefundedAmount = sql`(
  c."refundedAmount" + (
    SELECT coalesce(sum(f.amount), 0)
    FROM test_processor.follow_ups f
    WHERE f."chargeReference" = c.reference AND f."failedAt" IS NOT NULL AND f."toldAt" IS NULL
  )
)`;

/** In one statement: the refunds fail, and their amounts are back on their charges. */
async function failRefunds(pool: pg.Pool, condition: Sql, now: Date): Promise<void> {
  await execute(
    pool,
    sql`
      WITH failed AS (
        UPDATE test_processor.follow_ups f
        SET "failedAt" = ${now}, refusal = 'The bank of the cardholder has returned the refund.'
        FROM test_processor.charges c
        WHERE c.reference = f."chargeReference" AND f."failsAt" <= ${now} AND f."failedAt" IS NULL AND ${condition}
        RETURNING f."chargeReference", f.amount
      )
      UPDATE test_processor.charges c
      SET "refundedAmount" = c."refundedAmount" - f.amount
      FROM (
        SELECT "chargeReference", sum(amount) AS amount
        FROM failed
        GROUP BY "chargeReference"
      ) f
      WHERE c.reference = f."chargeReference"`,
  );
}

interface FailureRow {
  reference: string;
  processorReference: string;
  authorizationReference: string;
  /** A bigint of PostgreSQL as a string. */
  amount: string;
  currency: string;
  refusal: string;
}

async function listNotices(pool: pg.Pool, condition: Sql): Promise<ModificationNotice[]> {
  const rows = await queryRows<FailureRow>(
    pool,
    sql`
      SELECT
        f.reference, f."processorReference", c."processorReference" AS "authorizationReference",
        f.amount, f.currency, f.refusal
      FROM test_processor.follow_ups f
      JOIN test_processor.charges c ON c.reference = f."chargeReference"
      WHERE f."failedAt" IS NOT NULL AND f."toldAt" IS NULL AND ${condition}
      ORDER BY f."failedAt", f.reference
      LIMIT ${noticesMax}`,
  );
  return rows.map(({ reference, processorReference, authorizationReference, amount, currency, refusal }) => ({
    about: 'refund',
    authorizationReference,
    reference,
    amount: Number(amount),
    currency,
    outcome: { result: 'refused', message: refusal, processorReference },
  }));
}
