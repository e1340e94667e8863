import type { Env } from '../env.ts';
import { inTransaction } from '../kit/transaction.ts';

const dayMs = 86_400_000;
/** One transaction's worth, so that nobody waits long for its locks. */
const batchMax = 2_000;

/**
 * Removes deliveries with their attempts, so many days after their event; the events themselves stay. What is still to be sent is
 * never old, and deliveries on test clocks stay, since a year of theirs may have been a minute ago.
 */
export async function removeOldDeliveries(
  env: Env,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  const before = new Date(env.clock.real().getTime() - env.config.webhookKeepDays * dayMs);
  for (let removed = 0; ; ) {
    const batch = await removeBatch(env, before);
    removed += batch;
    if (batch < batchMax || stopping.aborted) return removed;
  }
}

function removeBatch({ pool }: Env, before: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    // Locked, so that none of them is redelivered while its attempts go.
    const old = await client.query<{ id: string }>({
      name: 'old-webhook-deliveries',
      text: oldDeliveries,
      values: [before, batchMax],
    });
    const ids = old.rows.map(({ id }) => id);
    await client.query({
      name: 'remove-old-webhook-attempts',
      text: 'DELETE FROM webhook_attempts WHERE "deliveryId" = ANY($1)',
      values: [ids],
    });
    await client.query({
      name: 'remove-old-webhook-deliveries',
      text: 'DELETE FROM webhook_deliveries WHERE id = ANY($1)',
      values: [ids],
    });
    return ids.length;
  });
}

const oldDeliveries = `SELECT id FROM webhook_deliveries WHERE "nextAttemptAt" IS NULL AND "testClockId" IS NULL AND "createdAt" < $1 ORDER BY "createdAt" LIMIT $2 FOR UPDATE SKIP LOCKED`;
