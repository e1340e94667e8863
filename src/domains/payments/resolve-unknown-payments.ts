import { servedModes } from '../../auth/sandbox.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { type DueTransaction, resolveTransaction } from './resolve-transaction.ts';

const batchMax = 50;

/**
 * Resolves unknown outcomes by asking the processor: of a call that timed out, an answer that was lost, a process that
 * stopped in between. It takes those that have waited longer than a call can be in flight.
 */
export async function resolveUnknownPayments(services: Services, stopping: AbortSignal = never): Promise<number> {
  for (let resolvedCount = 0; ; ) {
    const due = await takeDue(services);
    for (const transaction of due) {
      if (stopping.aborted) return resolvedCount;
      if (await tryResolveTransaction(services, transaction)) resolvedCount++;
    }
    if (due.length < batchMax) return resolvedCount;
  }
}

const never = new AbortController().signal;

/**
 * Takes due transactions and marks them as asked now, so that no other process takes them, and one that cannot be
 * resolved does not delay the others.
 */
function takeDue({ pool, clock, config }: Services): Promise<DueTransaction[]> {
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
        WHERE status = 'processing' AND "askedAt" < ${new Date(now.getTime() - quietMs)}
          ${servedModes(config, sql`mode`)}
        ORDER BY "askedAt"
        LIMIT ${constant(batchMax)}
        FOR UPDATE SKIP LOCKED
      )
      RETURNING id, type, "paymentId"`,
  );
}

async function tryResolveTransaction(services: Services, due: DueTransaction): Promise<boolean> {
  try {
    return await resolveTransaction(services, due);
  } catch (error) {
    services.log.warn({ err: error, paymentId: due.paymentId }, 'The outcome of a payment could not be resolved yet.');
    return false;
  }
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
