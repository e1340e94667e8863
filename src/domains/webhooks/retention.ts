import { inBatches } from '../../database/in-batches.ts';
import { execute, queryRows, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Services } from '../../services.ts';

const dayMs = 86_400_000;
/** Deliveries purged in one database transaction, so that its locks are kept briefly. */
const batchMax = 2_000;

/**
 * Purges deliveries and their attempts `webhookKeepDays` days after their event. The events themselves stay. A delivery
 * that is still to be sent is not purged, and neither is one on a test clock, where a year may have taken a minute.
 */
export function purgeDeliveries(services: Services, stopping?: AbortSignal): Promise<number> {
  const before = new Date(services.clock.realPassed().getTime() - services.config.webhookKeepDays * dayMs);
  return inBatches(batchMax, () => purgeBatch(services, before), stopping);
}

function purgeBatch({ pool }: Services, before: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    // Locked, so that no delivery is redelivered while its attempts are deleted.
    const old = await queryRows<{ id: string }>(
      client,
      sql`
SELECT id
FROM webhook_deliveries
WHERE "nextAttemptAt" IS NULL AND "testClockId" IS NULL AND "createdAt" < ${before}
ORDER BY "createdAt"
LIMIT ${batchMax}
FOR UPDATE SKIP LOCKED`,
    );
    const ids = old.map(({ id }) => id);
    await execute(client, sql`DELETE FROM webhook_attempts WHERE "deliveryId" = ANY(${ids})`);
    await execute(client, sql`DELETE FROM webhook_deliveries WHERE id = ANY(${ids})`);
    return ids.length;
  });
}
