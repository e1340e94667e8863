import './schema.ts';
import { execute, sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';

/**
 * Copies the time of last use to the keys from the unlogged table, which every call updates. It covers more time than
 * its interval, so that the next run makes up for a failed run or a locked key.
 */
export async function aggregateKeyUses(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  sinceMs = 60_000,
): Promise<void> {
  const since = new Date(clock.now().getTime() - sinceMs);
  await execute(
    pool,
    sql`
      WITH used AS (
        SELECT k.id, u.at
        FROM limits.key_uses u
        JOIN api_keys k ON k.id = u."keyId"
        WHERE u.at > ${since} AND (k."lastUsedAt" IS NULL OR k."lastUsedAt" < u.at)
        FOR NO KEY UPDATE OF k SKIP LOCKED
      )
      UPDATE api_keys k
      SET "lastUsedAt" = used.at
      FROM used
      WHERE k.id = used.id`,
  );
}

export const keysDomain = {
  name: 'keys',
  reference: {
    title: 'Keys',
    description:
      'API keys. A partner key reaches every account of its partner; a sub-key reaches one account. ' +
      'The secret is returned once, when the key is created.',
  },
  idPrefixes: { apiKey: 'ak_' },
  jobs: (services: Services): Job[] => [
    { name: 'aggregate-key-uses', everyMs: 1_000, run: () => aggregateKeyUses(services) },
  ],
} as const satisfies Domain;
