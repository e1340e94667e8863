import { constant, queryRows, sql } from '../../database/sql.ts';
import { removeUnlocked } from '../../jobs/leases.ts';
import { type Due, leaseOnce, ofNoTenant, runDueRows } from '../../jobs/run-due-rows.ts';
import type { Services } from '../../services.ts';
import { numbersErased } from './instrument-rows.ts';

/** Longer than any call that may still write a row that refers to a card. */
const graceMs = 3_600_000;
/** How far back cards without a row are searched. Older ones are kept if no process ran for longer than this. */
const lookBackMs = 7 * 86_400_000;
const batchMax = 500;
const removedAtOnce = 4;

type Parts = Pick<Services, 'pool' | 'clock' | 'vault' | 'log'>;

/**
 * Deletes cards from the vault that can no longer be used: cards of expired tokens, and cards of calls whose process
 * died before it wrote a row that refers to them. Each card is deleted before its token, so that the next run completes
 * an interrupted one.
 */
export async function purgeUnclaimedCards(services: Parts, stopping: AbortSignal = never): Promise<number> {
  return (await purgeExpiredTokens(services, stopping)) + (await purgeOrphanedCards(services, stopping));
}

const never = new AbortController().signal;

/** Tokens that expired before this time are purged, with the cards that were not used. */
export function tokensOverSince(now: Date): Date {
  return new Date(now.getTime() - graceMs);
}

async function purgeExpiredTokens(services: Parts, stopping: AbortSignal): Promise<number> {
  const { pool, clock } = services;
  for (let purged = 0; ; ) {
    const tokens = await queryRows<{ id: string; cardId: string; unused: boolean }>(
      pool,
      sql`
        SELECT id, "cardId", "usedAt" IS NULL AS unused
        FROM tokens
        WHERE "expiresAt" < ${tokensOverSince(clock.earliest())}
        ORDER BY "expiresAt"
        LIMIT ${constant(batchMax)}
        FOR UPDATE SKIP LOCKED`,
    );
    const unused = tokens.filter((token) => token.unused).map(({ cardId }) => cardId);
    const removed = await removeCards(services, unused, stopping);
    purged += removed.size;
    // A used token is purged as well: both are answered like a token that never existed.
    const over = tokens.filter((token) => !token.unused || removed.has(token.cardId));
    const where = sql`id = ANY(${over.map(({ id }) => id)})`;
    const count = await removeUnlocked(pool, { table: sql`tokens`, by: sql`id`, where });
    if (tokens.length < batchMax || count === 0 || stopping.aborted) return purged;
  }
}

/** Deletes cards from the vault, and returns those that were deleted. One that fails does not stop the others. */
async function removeCards(
  { vault, log }: Parts,
  cardIds: readonly string[],
  stopping: AbortSignal,
): Promise<ReadonlySet<string>> {
  const removed = new Set<string>();
  await runDueRows<Due>({
    lease: leaseOnce(cardIds.map((id) => ({ id, ...ofNoTenant }))),
    async run({ id }) {
      await vault.remove(id);
      removed.add(id);
    },
    failed: (error, { id: cardId }) =>
      log.warn({ err: error, cardId }, 'A card could not be removed from the vault. The next run removes it.'),
    stopping,
    most: removedAtOnce,
  });
  return removed;
}

/**
 * Erases the numbers of deleted cards from the vault. A number whose payment may still be sent to a processor is kept
 * until that payment has ended; captures, refunds and disputes need none.
 */
export async function eraseDeletedCards(services: Parts, stopping: AbortSignal = never): Promise<number> {
  const { pool, clock } = services;
  for (let erased = 0; ; ) {
    const deleted = await queryRows<{ id: string; cardId: string }>(
      pool,
      sql`
        SELECT i.id, i."cardId"
        FROM payment_instruments i
        WHERE i."eraseNumberAt" <= ${clock.earliestReal()}
          AND NOT EXISTS (
            SELECT
            FROM payments p
            WHERE p."customerId" = i."customerId" AND p."paymentInstrumentId" = i.id
              AND p.status = 'pending' AND p."subStatus" IS DISTINCT FROM 'authorized'
          )
        ORDER BY i."eraseNumberAt"
        LIMIT ${constant(batchMax)}`,
    );
    const removed = await removeCards(
      services,
      deleted.map(({ cardId }) => cardId),
      stopping,
    );
    const ids = deleted.filter(({ cardId }) => removed.has(cardId)).map(({ id }) => id);
    erased += await numbersErased(pool, ids);
    if (deleted.length < batchMax || ids.length === 0 || stopping.aborted) return erased;
  }
}

async function purgeOrphanedCards(services: Parts, stopping: AbortSignal): Promise<number> {
  const { pool, clock, vault } = services;
  const now = clock.earliest().getTime();
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
    const removed = await removeCards(
      services,
      orphaned.map(({ cardId }) => cardId),
      stopping,
    );
    purged += removed.size;
    after = stored.at(-1) ?? null;
    if (stored.length < batchMax || stopping.aborted) return purged;
  }
}
