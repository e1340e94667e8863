import { constant, execute, queryRow, sql } from '../database/sql.ts';
import { isTooLate } from '../jobs/leases.ts';
import type { Clock } from '../lib/clock.ts';
import { RateLimited } from '../lib/errors.ts';
import { networkOf } from '../lib/network.ts';
import type { Services } from '../services.ts';

const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
/** The longest window. Windows are those of the clock, such as the current minute. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

const addressesMax = 50_000;

/**
 * Counts the requests of an address (`networkOf`) per minute, in this process only: it protects the database from many
 * reads, and must not write to it for each file of a page. Throws above the limit.
 */
export function addressLimit({ clock }: Pick<Services, 'clock'>, perMinute: number): (address?: string) => void {
  let minute = 0;
  const counts = new Map<string, number>();
  return (address = '') => {
    const now = windowStart(clock, minuteMs);
    if (now !== minute) counts.clear();
    minute = now;
    const network = networkOf(address);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > perMinute) throw new RateLimited(windowLeftS(clock));
    // The map is bounded: with this many addresses in a minute, further ones are not counted.
    if (counts.size < addressesMax || counts.has(network)) counts.set(network, count);
  };
}

function windowStart(clock: Pick<Clock, 'earliest'>, windowMs: number): number {
  return Math.floor(clock.earliest().getTime() / windowMs) * windowMs;
}

/** The whole seconds, at least 1, until the current window of this length has ended. */
function windowLeftS(clock: Pick<Clock, 'earliest'>, windowMs: number = minuteMs): number {
  return Math.max(1, Math.ceil((windowMs - (clock.earliest().getTime() % windowMs)) / 1000));
}

type Counting = Pick<Services, 'pool' | 'clock'>;

/** Counting stops here, so that the column cannot overflow. */
const callsMax = 1_000_000;

/**
 * Counts calls of a subject in the current window, over all processes, and returns their number. A server whose clock
 * is behind counts in the window that has begun and never starts an earlier one. A window ahead of the database's time
 * was started by a clock that was ahead, and is replaced.
 */
export async function noteCalls(
  { pool, clock }: Counting,
  subject: string,
  windowMs: number = minuteMs,
  calls = 1,
): Promise<number> {
  const isAhead = isTooLate(sql`w.start`, clock.now(), 0);
  const row = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.windows AS w (subject, start, calls)
      VALUES (${subject}, ${new Date(windowStart(clock, windowMs))}, ${calls})
      ON CONFLICT (subject) DO UPDATE SET
        calls = CASE
          WHEN excluded.start > w.start OR ${isAhead} THEN excluded.calls
          ELSE least(w.calls, ${constant(callsMax)}) + excluded.calls
        END,
        start = CASE WHEN ${isAhead} THEN excluded.start ELSE greatest(w.start, excluded.start) END
      RETURNING calls`,
  );
  return row?.calls ?? calls;
}

/** Counts calls of a subject. Above the bound it is 429 until the window has ended. */
export async function countAttempt(
  services: Counting,
  subject: string,
  max: number,
  windowMs: number = minuteMs,
  calls = 1,
): Promise<void> {
  if ((await noteCalls(services, subject, windowMs, calls)) > max)
    throw new RateLimited(windowLeftS(services.clock, windowMs));
}

/** Counts calls of a kind by the address of their client (`networkOf`), as `countAttempt` does. */
export function countAddress(
  services: Counting,
  kind: string,
  ip: string | undefined,
  max: number,
  windowMs: number = minuteMs,
): Promise<void> {
  return countAttempt(services, `${kind}/address/${networkOf(ip ?? '')}`, max, windowMs);
}

/** Takes back one attempt that was no guess. */
export async function takeBackAttempt({ pool }: Counting, subject: string): Promise<void> {
  await execute(pool, sql`UPDATE limits.windows SET calls = greatest(0, calls - 1) WHERE subject = ${subject}`);
}

/** Far more than a console sends. Each root field of a GraphQL operation is a call. */
const callsPerMinute = 1_000;

/** Counts calls of a person over both surfaces, and rejects those above the limit of the minute. */
export function countCalls(services: Counting, { userId }: { userId: string }, calls: number): Promise<void> {
  return countAttempt(services, `person/${userId}`, callsPerMinute, minuteMs, calls);
}
