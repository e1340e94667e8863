import { constant, execute, queryRow, type Sql, sql } from '../database/sql.ts';
import { isTooLate } from '../jobs/leases.ts';
import type { Clock } from '../lib/clock.ts';
import { RateLimited } from '../lib/errors.ts';
import type { Services } from '../services.ts';

const windowMs = 60_000;
const addressesMax = 50_000;

/**
 * Counts the requests of an address per minute of the clock, in this process only: it protects the database from many
 * reads, and must not write to it for each file of a page. Throws above the limit.
 */
export function addressLimit({ clock }: Pick<Services, 'clock'>, perMinute: number): (address?: string) => void {
  let minute = 0;
  const calls = new Map<string, number>();
  return (address = '') => {
    const now = clock.earliest().getTime();
    if (Math.floor(now / windowMs) !== minute) {
      minute = Math.floor(now / windowMs);
      calls.clear();
    }
    const count = (calls.get(address) ?? 0) + 1;
    if (count > perMinute) throw new RateLimited(Math.ceil((windowMs - (now % windowMs)) / 1000));
    // The map is bounded: with this many addresses in a minute, further ones are not counted.
    if (calls.size < addressesMax || calls.has(address)) calls.set(address, count);
  };
}

/** Counting stops here, so that the column cannot overflow. */
const callsMax = 1_000_000;

/** The start of the current window of this length. */
export function windowStart(clock: Pick<Clock, 'earliest'>, windowMs: number): Date {
  return new Date(Math.floor(clock.earliest().getTime() / windowMs) * windowMs);
}

/** The whole seconds, at least 1, until that window has ended. */
export function windowLeftS(clock: Pick<Clock, 'earliest'>, windowMs: number): number {
  return Math.max(1, Math.ceil((windowMs - (clock.earliest().getTime() % windowMs)) / 1000));
}

/**
 * The assignments that count a further call in the counter `c`, whose columns are `minute`, the start of its window,
 * and `calls`. A server whose clock is behind counts in the window that has begun and never starts an earlier one. A
 * window ahead of the database's time was started by a clock that was ahead, and is replaced.
 */
export function countedOn(clock: Pick<Clock, 'now'>): Sql {
  const lost = isTooLate(sql`c.minute`, clock.now(), 0);
  return sql`
    calls = CASE
      WHEN excluded.minute > c.minute OR ${lost} THEN excluded.calls
      ELSE least(c.calls, ${constant(callsMax)}) + excluded.calls
    END,
    minute = CASE WHEN ${lost} THEN excluded.minute ELSE greatest(c.minute, excluded.minute) END`;
}

type Counting = Pick<Services, 'pool' | 'clock'>;

const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
/** The longest window. */
export const hourMs = 3_600_000;

/** Counts one attempt of a subject in the current window, over all processes, and returns their number. */
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
 * Counts one attempt. Above the bound it is 429 until the window of the clock, such as the current minute, has ended.
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

/** Takes back one attempt that was no guess. */
export async function takeBackAttempt({ pool }: Counting, subject: string): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE limits.sign_ins
      SET calls = greatest(0, calls - 1)
      WHERE subject = ${subject}`,
  );
}

/** Far more than a console sends. Each root field of a GraphQL operation is a call. */
const callsPerMinute = 1_000;

/** Counts calls of a user, over both surfaces and all processes, and rejects those above the limit of the minute. */
export async function countCalls(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  { userId }: { userId: string },
  calls: number,
): Promise<void> {
  const counted = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.field_calls AS c (identity, minute, calls)
      VALUES (${`person/${userId}`}, ${windowStart(clock, windowMs)}, ${calls})
      ON CONFLICT (identity) DO UPDATE SET
        ${countedOn(clock)}
      RETURNING calls`,
  );
  if ((counted?.calls ?? 0) <= callsPerMinute) return;
  throw new RateLimited(windowLeftS(clock, windowMs));
}
