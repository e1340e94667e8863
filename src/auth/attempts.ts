import { removeUnlocked } from '../database/remove-unlocked.ts';
import { execute, queryRow, sql } from '../database/sql.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Services } from '../services.ts';
import { countedOn, windowLeftS, windowStart } from './count-in-window.ts';

type Counting = Pick<Services, 'pool' | 'clock'>;

const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
/** No window is longer. */
export const hourMs = 3_600_000;

/** Counts one attempt of a subject in the present window, over all processes, and returns their number. */
export async function noteAttempt({ pool, clock }: Counting, subject: string, windowMs: number): Promise<number> {
  const row = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.sign_ins AS c (subject, minute, calls)
      VALUES (${subject}, ${windowStart(clock, windowMs)}, 1)
      ON CONFLICT (subject) DO UPDATE
      SET ${countedOn(clock)}
      RETURNING calls`,
  );
  return row?.calls ?? 1;
}

/**
 * Counts one attempt. Past the bound it is 429 until the window of the clock, such as the present minute, has ended.
 */
export async function countAttempt(
  services: Counting,
  subject: string,
  max: number,
  windowMs: number = minuteMs,
): Promise<void> {
  if ((await noteAttempt(services, subject, windowMs)) <= max) return;
  throw new RateLimited(windowLeftS(services.clock, windowMs));
}

/** Takes back one attempt that turned out to be no guess. */
export async function takeBackAttempt({ pool }: Counting, subject: string): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE limits.sign_ins
      SET calls = greatest(0, calls - 1)
      WHERE subject = ${subject}`,
  );
}

/** Deletes the counters of subjects without an attempt in the last hour, so that tried addresses are not kept. */
export async function purgeAttempts({ pool, clock }: Counting): Promise<void> {
  const oldest = new Date(clock.passed().getTime() - hourMs);
  await removeUnlocked(pool, { table: sql`limits.sign_ins`, by: sql`minute`, where: sql`minute < ${oldest}` });
}
