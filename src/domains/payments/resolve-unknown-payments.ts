import { servedModes } from '../../auth/sandbox.ts';
import { isTooLate } from '../../database/leases.ts';
import { ofOthers } from '../../database/put-off.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { type Due, type Full, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { type DueTransaction, resolveTransaction } from './resolve-transaction.ts';

const batchMax = 50;

/**
 * Resolves unknown outcomes by asking the processor: of a call that timed out, an answer that was lost, a process that
 * stopped in between. It takes those that have waited longer than a call can be in flight.
 */
export function resolveUnknownPayments(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runAtOnce<DueTransaction & Due>({
    lease: (full) => leaseDue(services, full),
    run: (transaction) => resolveTransaction(services, transaction),
    failed: (error, { paymentId }) =>
      services.log.warn({ err: error, paymentId }, 'The outcome of a payment could not be resolved yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

/**
 * Takes due transactions and marks them as asked now, so that no other process takes them, and one that cannot be
 * resolved does not delay the others.
 */
function leaseDue({ pool, clock, config }: Services, full: Full): Promise<(DueTransaction & Due)[]> {
  const now = clock.real();
  const quietMs = config.processorTimeoutMs + 1_000;
  return queryRows(
    pool,
    sql`
      UPDATE transactions
      SET "askedAt" = ${now}
      WHERE id IN (
        SELECT id
        FROM transactions
        WHERE status = 'processing'
          AND ("askedAt" < ${new Date(now.getTime() - quietMs)} OR ${isTooLate(sql`"askedAt"`, now, 0)})
          AND ${ofOthers(full, sql`"platformAccountId"`, sql`"processorId"`)}
          ${servedModes(config, sql`mode`)}
        ORDER BY "askedAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING id, type, "paymentId", "platformAccountId", "processorId"`,
  );
}

/** Resolves at once the payments of one test clock, which is being advanced. Throws what cannot be resolved. */
export async function resolveUnknownPaymentsOfClock(services: Services, testClockId: string): Promise<number> {
  const due = await queryRows<DueTransaction>(
    services.pool,
    sql`
      SELECT t.id, t.type, t."paymentId"
      FROM payments p
      JOIN transactions t ON t."paymentId" = p.id AND t.status = 'processing'
      WHERE p."testClockId" = ${testClockId}
      ORDER BY t."createdAt", t.id
      LIMIT ${constant(batchMax)}`,
  );
  let resolvedCount = 0;
  for (const transaction of due) if (await resolveTransaction(services, transaction)) resolvedCount++;
  return resolvedCount;
}
