import type pg from 'pg';
import { execute, type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type { DisputeNotice, DisputeStatus } from '../../ports/card-processor.ts';
import type { DisputeRequest } from '../../ports/test-processor.ts';

const evidenceTimeMs = 7 * 24 * 60 * 60_000;
const noticesMax = 100;
/** The time from capture to dispute on a test clock. In real time, the next run of the job opens the dispute. */
const cardholderWaitMs = 5_000;

/**
 * Records a dispute, or returns the reason why it is not possible. The charge is locked, so that a concurrent refund
 * sees the disputed amount.
 */
export function openDispute(pool: pg.Pool, requested: DisputeRequest, now: Date): Promise<DisputeNotice | string> {
  return inTransaction(pool, async (client) => {
    await lockCharge(client, requested.authorizationReference);
    const charge = await queryRow<{ reference: string; currency: string; isCaptured: boolean }>(
      client,
      sql`
        SELECT c.reference, c.currency, c."capturedAmount" > 0 AS "isCaptured"
        FROM test_processor.charges c
        WHERE c."processorReference" = ${requested.authorizationReference}`,
    );
    if (!charge) return 'Charge not found.';
    const earlier = await findDispute(client, requested.reference);
    if (earlier) return earlier;
    if (!charge.isCaptured) return 'Nothing was captured of the charge.';
    await execute(
      client,
      sql`
        INSERT INTO test_processor.disputes
          (reference, "processorReference", "chargeReference", amount, currency, reason, status,
           "evidenceDueAt", "createdAt", "updatedAt")
        VALUES
          (${requested.reference}, ${`tp_du_${randomBase62(20)}`}, ${charge.reference}, ${requested.amount},
           ${charge.currency}, ${requested.reason}, 'needs_response',
           ${new Date(now.getTime() + evidenceTimeMs)}, ${now}, ${now})`,
    );
    const dispute = await findDispute(client, requested.reference);
    if (!dispute) throw new Error('A dispute that was just inserted does not exist.');
    return dispute;
  });
}

export async function findDispute(database: Queryable, reference: string): Promise<DisputeNotice | null> {
  const [notice] = await listNotices(database, sql`WHERE d.reference = ${reference}`);
  return notice ?? null;
}

/** Sets the status of a dispute that is neither won nor lost, and returns the dispute. */
export async function moveDispute(
  pool: pg.Pool,
  processorReference: string,
  status: DisputeStatus,
  now: Date,
): Promise<DisputeNotice | null> {
  await execute(
    pool,
    sql`
      UPDATE test_processor.disputes
      SET status = ${status}, "updatedAt" = greatest("updatedAt", ${now})
      WHERE "processorReference" = ${processorReference} AND status NOT IN ('won', 'lost')`,
  );
  const [notice] = await listNotices(pool, sql`WHERE d."processorReference" = ${processorReference}`);
  return notice ?? null;
}

/** Opens the due disputes of test cards, and returns the disputes of which the platform was not notified. */
export async function unnotifiedDisputes(pool: pg.Pool, now: Date): Promise<DisputeNotice[]> {
  await disputeAll(pool, sql`c."testClockId" IS NULL`, sql`random()`, now);
  return listNotices(
    pool,
    sql`
      WHERE d."reportedStatus" IS DISTINCT FROM d.status
      -- Notices that cannot be sent, and those of the tenant with the most, are not ahead of the others.
      ORDER BY random()
      LIMIT ${noticesMax}`,
  );
}

/** When the next dispute on a test clock is due. */
export async function nextDisputeOn(pool: pg.Pool, testClockId: string): Promise<Date | null> {
  const row = await queryRow<{ at: Date | null }>(
    pool,
    sql`
      SELECT min(c."updatedAt") AS at
      FROM test_processor.charges c
      WHERE ${isToBeDisputed} AND c."testClockId" = ${testClockId}`,
  );
  return row?.at ? new Date(row.at.getTime() + cardholderWaitMs) : null;
}

/** Opens the disputes that are due on a test clock. */
export function openDisputesOn(pool: pg.Pool, testClockId: string, now: Date): Promise<DisputeNotice[]> {
  const capturedUntil = new Date(now.getTime() - cardholderWaitMs);
  const isDue = sql`c."testClockId" = ${testClockId} AND c."updatedAt" <= ${capturedUntil}`;
  return disputeAll(pool, isDue, sql`c."updatedAt", c.reference`, now);
}

async function disputeAll(pool: pg.Pool, condition: Sql, order: Sql, now: Date): Promise<DisputeNotice[]> {
  const charges = await queryRows<{ reference: string; processorReference: string; rest: string }>(
    pool,
    sql`
      SELECT c.reference, c."processorReference", c."capturedAmount" - c."refundedAmount" AS rest
      FROM test_processor.charges c
      WHERE ${isToBeDisputed} AND ${condition}
      ORDER BY ${order}
      LIMIT ${noticesMax}`,
  );
  const opened: DisputeNotice[] = [];
  for (const { reference, processorReference, rest } of charges) {
    const requested: DisputeRequest = {
      reference: `of_${reference}`,
      authorizationReference: processorReference,
      amount: Number(rest),
      reason: 'fraudulent',
    };
    const notice = await openDispute(pool, requested, now);
    await execute(
      pool,
      sql`UPDATE test_processor.charges SET "isDisputedLater" = false WHERE reference = ${reference}`,
    );
    if (typeof notice !== 'string') opened.push(notice);
  }
  return opened;
}

const isToBeDisputed = sql`
  c."isDisputedLater"
  AND c."capturedAmount" > c."refundedAmount"
  AND NOT EXISTS (SELECT 1 FROM test_processor.disputes d WHERE d."chargeReference" = c.reference)`;

/** Stores that the platform was notified of this status of a dispute. */
export async function markNotified(pool: pg.Pool, { processorReference, status }: DisputeNotice): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE test_processor.disputes
      SET "reportedStatus" = ${status}
      WHERE "processorReference" = ${processorReference}`,
  );
}

/**
 * Locks a charge until the end of the database transaction. Its amounts must be read by a later statement, because a
 * statement that waits for the lock does not see disputes committed in the meantime.
 */
export async function lockCharge(client: pg.ClientBase, processorReference: string): Promise<void> {
  await execute(
    client,
    sql`SELECT 1 FROM test_processor.charges WHERE "processorReference" = ${processorReference} FOR NO KEY UPDATE`,
  );
}

/** SQL expression: the amount of the charge `c` that is disputed or lost. */
export const disputedAmount = sql`(
  SELECT coalesce(sum(d.amount), 0)
  FROM test_processor.disputes d
  WHERE d."chargeReference" = c.reference AND d.status <> 'won'
)`;

interface DisputeRow extends Omit<DisputeNotice, 'amount'> {
  /** A bigint of PostgreSQL as a string. */
  amount: string;
}

async function listNotices(database: Queryable, clauses: Sql): Promise<DisputeNotice[]> {
  const rows = await queryRows<DisputeRow>(
    database,
    sql`
      SELECT
        d."processorReference",
        c."processorReference" AS "authorizationReference",
        d.amount, d.currency, d.reason, d.status, d."evidenceDueAt", d."updatedAt" AS "reportedAt"
      FROM test_processor.disputes d
      JOIN test_processor.charges c ON c.reference = d."chargeReference"
      ${clauses}`,
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}
