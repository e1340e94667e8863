import { execute, queryRow, sql } from '../../database/sql.ts';
import { RateLimited } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';

const windowMs = 60_000;

/**
 * Counts one attempt of a subject in the present minute of the clock, over all processes. Past the limit the attempt is
 * 429 until the minute has ended.
 */
export async function countAttempt(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  subject: string,
  perMinute: number,
): Promise<void> {
  const now = clock.now().getTime();
  const minute = new Date(Math.floor(now / windowMs) * windowMs);
  const row = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.sign_ins AS s (subject, minute, calls)
      VALUES (${subject}, ${minute}, 1)
      ON CONFLICT (subject) DO UPDATE
      SET
        calls = CASE WHEN s.minute = excluded.minute THEN s.calls + 1 ELSE 1 END,
        minute = excluded.minute
      RETURNING calls`,
  );
  if ((row?.calls ?? 1) > perMinute)
    throw new RateLimited(Math.max(1, Math.ceil((windowMs - (now % windowMs)) / 1000)));
}

/** Deletes the counters of subjects without an attempt in the last hour, so that tried addresses are not kept. */
export async function purgeSignInAttempts({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - 60 * windowMs);
  await execute(
    pool,
    sql`
      DELETE FROM limits.sign_ins
      WHERE minute < ${oldest}`,
  );
}
