import type pg from 'pg';
import { leaseOver } from '../../database/leases.ts';
import { ofOthers } from '../../database/put-off.ts';
import { execute, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import type { Due, Full } from '../../runtime/at-once.ts';

/** A clock that this process drives. */
export interface Drive {
  testClockId: string;
  /** Identifies this drive. A process that takes the clock over writes its own value. */
  drivenBy: string;
  now: Date;
  target: Date;
}

/** Renewed long before it expires. After it, another process takes over a clock whose process died. */
const leaseMs = 15_000;

/**
 * Leases an advancing clock that no process drives. Null if there is none, or another process leased it first. All
 * times except those of the clock are real.
 */
export async function takeClock(
  pool: pg.Pool,
  { testClockId, drivenBy }: Pick<Drive, 'testClockId' | 'drivenBy'>,
  real: Date,
): Promise<Drive | null> {
  const taken = await queryRow<Pick<Drive, 'now' | 'target'>>(
    pool,
    sql`
      UPDATE test_clocks
      SET "drivenBy" = ${drivenBy}, "leasedUntil" = ${leaseFrom(real)}
      WHERE id = ${testClockId}
        AND status = 'advancing'
        AND ${leaseOver(sql`"leasedUntil"`, real, leaseMs)}
      RETURNING now, target`,
  );
  return taken ? { testClockId, drivenBy, ...taken } : null;
}

export async function renewLease(pool: pg.Pool, drive: Drive, real: Date): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE test_clocks
      SET "leasedUntil" = ${leaseFrom(real)}
      WHERE ${isDrivenBy(drive)}`,
  );
}

/** Advances the clock to the time of the next step, before the step. False if another process drives it now. */
export async function advanceToMoment(pool: pg.Pool, drive: Drive, moment: Date, real: Date): Promise<boolean> {
  const changed = await execute(
    pool,
    sql`
      UPDATE test_clocks
      SET now = ${moment},
        "stepsDone" = "stepsDone" + 1,
        "leasedUntil" = ${leaseFrom(real)},
        "updatedAt" = ${real}
      WHERE ${isDrivenBy(drive)}`,
  );
  return changed === 1;
}

export async function finishAdvance(pool: pg.Pool, drive: Drive, real: Date): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE test_clocks
      SET now = target,
        target = NULL,
        status = 'ready',
        "drivenBy" = NULL,
        "leasedUntil" = NULL,
        "updatedAt" = ${real}
      WHERE ${isDrivenBy(drive)}`,
  );
}

export async function failAdvance(pool: pg.Pool, drive: Drive, reason: string, real: Date): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE test_clocks
      SET status = 'internal_failure',
        "failureReason" = ${reason},
        "drivenBy" = NULL,
        "leasedUntil" = NULL,
        "updatedAt" = ${real}
      WHERE ${isDrivenBy(drive)}`,
  );
}

/** Ends the lease, so that another process can continue the advance. */
export async function releaseClock(pool: pg.Pool, drive: Drive): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE test_clocks
      SET "drivenBy" = NULL, "leasedUntil" = NULL
      WHERE ${isDrivenBy(drive)}`,
  );
}

/** Advancing clocks that no process drives. */
export function idleClocks(pool: pg.Pool, real: Date, full: Full, max: number): Promise<Due[]> {
  return queryRows(
    pool,
    sql`
      SELECT id, "platformAccountId", "platformAccountId" AS "processorId"
      FROM test_clocks
      WHERE status = 'advancing' AND ${leaseOver(sql`"leasedUntil"`, real, leaseMs)}
        AND ${ofOthers(full, sql`"platformAccountId"`, sql`"platformAccountId"`)}
      ORDER BY "updatedAt"
      LIMIT ${max}`,
  );
}

function isDrivenBy({ testClockId, drivenBy }: Drive): Sql {
  return sql`id = ${testClockId} AND "drivenBy" = ${drivenBy} AND status = 'advancing'`;
}

function leaseFrom(real: Date): Date {
  return new Date(real.getTime() + leaseMs);
}
