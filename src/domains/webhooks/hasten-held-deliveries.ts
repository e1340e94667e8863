import { isTooLate } from '../../database/leases.ts';
import { execute, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { waitMaxMs } from './schedule.ts';

/**
 * Makes the deliveries due that wait longer than the schedule lets them: a first attempt waits for nothing, and no other
 * longer than the longest step. They were written while a clock was ahead, and would be held until their time.
 */
export function hastenHeldDeliveries({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const now = clock.now();
  return execute(
    pool,
    sql`
      UPDATE webhook_deliveries
      SET "nextAttemptAt" = ${now}
      WHERE id IN (
        SELECT id
        FROM webhook_deliveries
        WHERE "nextAttemptAt" IS NOT NULL
          AND "testClockId" IS NULL
          AND ${isTooLate(sql`"nextAttemptAt"`, now, 0)}
          AND ("failureCount" = 0 OR ${isTooLate(sql`"nextAttemptAt"`, now, waitMaxMs)})
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
  );
}
