import { constant, execute, queryRows, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** Longer than any call can take that still writes a row that refers to a card. */
const graceMs = 3_600_000;
/** How far back cards are searched to which no row refers. Older ones stay if no process ran for longer than this. */
const lookBackMs = 7 * 86_400_000;
const batchMax = 500;

type Parts = Pick<Services, 'pool' | 'clock' | 'vault'>;

/**
 * Removes cards from the vault that can no longer be used: cards of expired tokens, and cards of calls whose process
 * died before it wrote a row that refers to them. Each card is removed before its token, so that the next run finishes
 * an interrupted one.
 */
export async function purgeUnclaimedCards(services: Parts, stopping: AbortSignal = never): Promise<number> {
  return (await purgeExpiredTokens(services, stopping)) + (await purgeOrphanedCards(services, stopping));
}

const never = new AbortController().signal;

async function purgeExpiredTokens({ pool, clock, vault }: Parts, stopping: AbortSignal): Promise<number> {
  for (let purged = 0; ; ) {
    const tokens = await queryRows<{ id: string; cardId: string; unused: boolean }>(
      pool,
      sql`
        SELECT id, "cardId", "usedAt" IS NULL AS unused
        FROM tokens
        WHERE "expiresAt" < ${new Date(clock.passed().getTime() - graceMs)}
        ORDER BY "expiresAt"
        LIMIT ${constant(batchMax)}`,
    );
    for (const { cardId, unused } of tokens) {
      if (!unused) continue;
      await vault.remove(cardId);
      purged++;
    }
    // A used token is purged as well: both are answered like a token that never existed.
    await execute(
      pool,
      sql`
        DELETE FROM tokens
        WHERE id = ANY(${tokens.map(({ id }) => id)})`,
    );
    if (tokens.length < batchMax || stopping.aborted) return purged;
  }
}

async function purgeOrphanedCards({ pool, clock, vault }: Parts, stopping: AbortSignal): Promise<number> {
  const now = clock.passed().getTime();
  const stretch = { from: new Date(now - lookBackMs), to: new Date(now - graceMs), limit: batchMax };
  let purged = 0;
  for (let after: string | null = null; ; ) {
    const stored: string[] = await vault.listKept({ ...stretch, after });
    const orphaned = await queryRows<{ cardId: string }>(
      pool,
      sql`
        SELECT k AS "cardId"
        FROM unnest(${stored}::text[]) k
        WHERE NOT EXISTS (SELECT 1 FROM tokens t WHERE t."cardId" = k)
          AND NOT EXISTS (SELECT 1 FROM payment_instruments i WHERE i."cardId" = k)`,
    );
    for (const { cardId } of orphaned) await vault.remove(cardId);
    purged += orphaned.length;
    after = stored.at(-1) ?? null;
    if (stored.length < batchMax || stopping.aborted) return purged;
  }
}
