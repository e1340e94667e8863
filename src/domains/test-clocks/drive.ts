import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { queryRow, queryRows, sql } from '../../database/sql.ts';
import type { ClockDriven } from '../../domain.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { dueColumns, leaseOver, notSaturated } from '../../jobs/leases.ts';
import type { Due as DueOfAtOnce, Saturated } from '../../jobs/run-due-rows.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';

/** A clock that this process drives. */
interface Drive {
  testClockId: string;
  /** Identifies this drive. A process that takes the clock over writes its own value. */
  drivenBy: string;
  now: Date;
  target: Date;
}

/**
 * Renewed long before it expires. After it has expired, another process takes over the clock, since its process died.
 */
const leaseMs = 15_000;

/**
 * Leases an advancing clock that no process drives. Null if there is none, or another process leased it first. All
 * times except those of the clock are real.
 */
async function takeClock(
  pool: pg.Pool,
  { testClockId, drivenBy }: Pick<Drive, 'testClockId' | 'drivenBy'>,
  real: Date,
): Promise<Drive | null> {
  const taken = await queryRow<Pick<Drive, 'now' | 'target'>>(
    pool,
    sql`
      UPDATE test_clocks
      SET "drivenBy" = ${drivenBy}, "leasedUntil" = ${leaseFrom(real)}
      WHERE id = (
        SELECT id
        FROM test_clocks
        WHERE id = ${testClockId} AND status = 'advancing' AND ${leaseOver(sql`"leasedUntil"`, real, leaseMs)}
        -- A clock that is locked is taken by a later run: a wait would keep a connection.
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING now, target`,
  );
  return taken ? { testClockId, drivenBy, ...taken } : null;
}

/** Changes the clock while this process drives it. False if another process drives it now. */
async function changeDriven(
  { prisma }: Pick<Services, 'prisma'>,
  { testClockId, drivenBy }: Drive,
  data: Prisma.TestClockUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await prisma.testClock.updateMany({
    where: { id: testClockId, drivenBy, status: 'advancing' },
    data,
  });
  return count === 1;
}

/** Ends the lease, so that another process can continue the advance. */
const released = { drivenBy: null, leasedUntil: null };

/** The account of a clock stands for all of its processors. */
const account = sql`t."platformAccountId"`;

/** Advancing clocks that no process drives. */
export function idleClocks(pool: pg.Pool, real: Date, full: Saturated, max: number): Promise<DueOfAtOnce[]> {
  return queryRows(
    pool,
    sql`
      SELECT ${dueColumns('t', account)}
      FROM test_clocks t
      WHERE status = 'advancing' AND ${leaseOver(sql`"leasedUntil"`, real, leaseMs)}
        AND ${notSaturated(full, 't', account)}
      ORDER BY "updatedAt"
      LIMIT ${max}`,
  );
}

function leaseFrom(real: Date): Date {
  return new Date(real.getTime() + leaseMs);
}

/** A failed step is retried before the advance fails, since a processor or a connection may be unavailable briefly. */
const triesMax = 3;
const tryAgainMs = 200;
/** How long the drive waits for due work of another process, such as a delivery in flight. */
const waitMaxMs = 60_000;
const waitMs = 50;
const renewEveryMs = 5_000;

interface Due {
  domain: ClockDriven;
  at: Date;
}

/**
 * Drives an advancing clock until it reaches its target, fails, is taken over, or `stopping` aborts. One process at a
 * time drives a clock, with a lease that it renews. Nothing else is stored: after a crash the next process finds what
 * is due in the rows.
 */
export async function driveTestClock(services: Services, testClockId: string, stopping: AbortSignal): Promise<void> {
  const drive = await takeClock(services.pool, { testClockId, drivenBy: randomBase62(16) }, services.clock.real());
  if (!drive) return;
  const renewing = setInterval(
    () =>
      void changeDriven(services, drive, { leasedUntil: leaseFrom(services.clock.real()) }).catch((error: unknown) =>
        services.log.warn({ err: error, testClockId }, 'The lease of a test clock could not be renewed.'),
      ),
    renewEveryMs,
  );
  try {
    while (!stopping.aborted) if (!(await step(services, drive))) return;
    await changeDriven(services, drive, released);
  } finally {
    clearInterval(renewing);
  }
}

/** Runs the next due step. False if the drive has ended. */
async function step(services: Services, drive: Drive): Promise<boolean> {
  const due = await findEarliestDue(services, drive);
  if (due === 'failed') return false;
  const real = services.clock.real();
  if (due === null) {
    await changeDriven(services, drive, {
      ...released,
      now: drive.target,
      target: null,
      status: 'ready',
      updatedAt: real,
    });
    return false;
  }
  // Work created late may be due before the time of the clock. It runs now, since a clock never goes back.
  const moment = due.at > drive.now ? due.at : drive.now;
  const moved = { now: moment, stepsDone: { increment: 1 }, leasedUntil: leaseFrom(real), updatedAt: real };
  if (!(await changeDriven(services, drive, moved))) return false;
  drive.now = moment;
  return (await runStep(services, drive, due.domain.name, () => runDueWork(services, drive, due))) !== 'failed';
}

/** The next due work within the advance. Of several at the same time, that of the first domain in the list. */
function findEarliestDue(services: Services, drive: Drive): Promise<Due | null | 'failed'> {
  return runStep(services, drive, 'looking for what is due', async () => {
    let next: Due | null = null;
    for (const domain of services.clockDriven) {
      const at = await domain.nextDue(services, drive.testClockId);
      if (at !== null && at <= drive.target && (next === null || later(at, drive.now) < later(next.at, drive.now)))
        next = { domain, at };
    }
    return next;
  });
}

function later(one: Date, other: Date): number {
  return Math.max(one.getTime(), other.getTime());
}

async function runDueWork(services: Services, drive: Drive, { domain, at }: Due): Promise<void> {
  const until = performance.now() + waitMaxMs;
  for (;;) {
    const done = await services.clock.on({ id: drive.testClockId, now: drive.now }, () =>
      domain.runDue(services, drive.testClockId, drive.now),
    );
    if (done > 0) return;
    const left = await domain.nextDue(services, drive.testClockId);
    if (left === null || left > at) return;
    if (performance.now() > until) throw new StillDueError(domain.name);
    await delay(waitMs);
  }
}

class StillDueError extends Error {
  constructor(name: string) {
    super(`Something of ${name} stayed due for ${waitMaxMs / 1000} s.`);
  }
}

/** Retries a failed step and then ends the advance with `internal_failure`, after which it can be started again. */
async function runStep<Result>(
  services: Services,
  drive: Drive,
  name: string,
  run: () => Promise<Result>,
): Promise<Result | 'failed'> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      services.log.warn(
        { err: error, testClockId: drive.testClockId, step: name, at: drive.now },
        'A step of a test clock failed.',
      );
      if (attempt === triesMax || error instanceof StillDueError) {
        await changeDriven(services, drive, {
          ...released,
          status: 'internal_failure',
          failureReason:
            `The step ${name} failed at ${drive.now.toISOString()}. What came before it is done; advance the ` +
            'clock again to continue from there.',
          updatedAt: services.clock.real(),
        });
        return 'failed';
      }
      await delay(tryAgainMs);
    }
  }
}
