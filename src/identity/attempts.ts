import type { Env } from '../env.ts';
import { RateLimited } from '../kit/errors.ts';

const windowMs = 60_000;

/** Counts one attempt of a subject in the clock's own minute, across every process; past the limit it is 429 until the minute is over. */
export async function countAttempt(
  { pool, clock }: Pick<Env, 'pool' | 'clock'>,
  subject: string,
  perMinute: number,
): Promise<void> {
  const now = clock.now().getTime();
  const { rows } = await pool.query<{ calls: number }>({
    name: 'count-sign-in',
    text: statement,
    values: [subject, new Date(Math.floor(now / windowMs) * windowMs)],
  });
  if ((rows[0]?.calls ?? 1) > perMinute)
    throw new RateLimited(Math.max(1, Math.ceil((windowMs - (now % windowMs)) / 1000)));
}

const statement = `INSERT INTO limits.sign_ins AS s (subject, minute, calls) VALUES ($1, $2, 1)
ON CONFLICT (subject) DO UPDATE SET calls = CASE WHEN s.minute = excluded.minute THEN s.calls + 1 ELSE 1 END, minute = excluded.minute RETURNING calls`;

/** Subjects nobody has been seen as for an hour; an e-mail that was only tried must not stay for ever. */
export async function forgetAttempts({ pool, clock }: Pick<Env, 'pool' | 'clock'>): Promise<void> {
  await pool.query('DELETE FROM limits.sign_ins WHERE minute < $1', [new Date(clock.now().getTime() - 60 * windowMs)]);
}
