import { execute, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/**
 * Copies the time of last use from the unlogged table, which every call updates, to the keys. It covers more time than
 * its interval, so that a failed run is made up by the next.
 */
export async function aggregateKeyUses(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  sinceMs = 60_000,
): Promise<void> {
  const since = new Date(clock.now().getTime() - sinceMs);
  await execute(
    pool,
    sql`
      UPDATE api_keys k
      SET "lastUsedAt" = u.at
      FROM limits.key_uses u
      WHERE u.at > ${since}
        AND k.id = u."keyId"
        AND (k."lastUsedAt" IS NULL OR k."lastUsedAt" < u.at)`,
  );
}
