import type pg from 'pg';
import { type ClockCheck, ComparedClock, clockFault } from '../lib/clock.ts';
import type { Log } from '../observability/log.ts';
import { queryRow, sql } from './sql.ts';

export interface ServerClock extends ClockCheck {
  close(): void;
}

const readEveryMs = 5_000;
/** While the clock is off, every job reads it. */
const readAtMostEveryMs = 500;

/**
 * Compares the clock of this server with the database's, now and every five seconds, and logs when it is off and when
 * it is right again. A reading that fails changes nothing. `own` replaces the clock of the machine in a test.
 */
export async function openServerClock(pool: pg.Pool, log: Log, own: () => number = Date.now): Promise<ServerClock> {
  const compared = new ComparedClock(own);
  let reading: Promise<void> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let wasOff = false;

  async function read(): Promise<void> {
    const client = await pool.connect();
    try {
      const before = own();
      const row = await queryRow<{ ms: number }>(
        client,
        sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
      );
      if (row) compared.read({ before, database: row.ms, after: own() });
    } finally {
      client.release();
    }
    readAt = performance.now();
    const fault = clockFault(compared.aheadMs());
    if ((fault !== null) !== wasOff) {
      if (fault === null) log.info('The clock of this server agrees with the database again.');
      else log.error(`${fault} This server is not ready and runs no jobs: synchronize its clock.`);
    }
    wasOff = fault !== null;
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => (reading = null));
    return reading;
  }

  await readOnce();
  // The last difference is kept while the database is unavailable.
  const timer = setInterval(() => void readOnce().catch(() => {}), readEveryMs).unref();
  return {
    now: () => compared.now(),
    earliest: () => compared.earliest(),
    aheadMs: () => compared.aheadMs(),
    async fault() {
      const isOff = clockFault(compared.aheadMs()) !== null;
      if (isOff !== wasOff || (isOff && performance.now() - readAt > readAtMostEveryMs))
        await readOnce().catch(() => {});
      return clockFault(compared.aheadMs());
    },
    close: () => clearInterval(timer),
  };
}
