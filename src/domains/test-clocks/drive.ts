import { setTimeout as delay } from 'node:timers/promises';
import { randomBase62 } from '../../kit/ids.ts';
import type { ClockDriven } from '../../ports/clock-driven.ts';
import type { Services } from '../../services.ts';
import {
  advanceToMoment,
  type Drive,
  failAdvance,
  finishAdvance,
  releaseClock,
  renewLease,
  takeClock,
} from './drive-statements.ts';

/** A failed step is repeated before the advance fails: a processor or a connection may be unavailable for a moment. */
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
      void renewLease(services.pool, drive, services.clock.real()).catch((error: unknown) =>
        services.log.warn({ err: error, testClockId }, 'The lease of a test clock could not be renewed.'),
      ),
    renewEveryMs,
  );
  try {
    while (!stopping.aborted) if (!(await step(services, drive))) return;
    await releaseClock(services.pool, drive);
  } finally {
    clearInterval(renewing);
  }
}

/** Runs the next due step. False if the drive has ended. */
async function step(services: Services, drive: Drive): Promise<boolean> {
  const { pool, clock } = services;
  const due = await findEarliestDue(services, drive);
  if (due === 'failed') return false;
  if (due === null) {
    await finishAdvance(pool, drive, clock.real());
    return false;
  }
  // Work created late may be due before the time of the clock. It runs now: a clock never goes back.
  const moment = due.at > drive.now ? due.at : drive.now;
  if (!(await advanceToMoment(pool, drive, moment, clock.real()))) return false;
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

/** Repeats a failed step and then ends the advance with `internal_failure`, after which it can be started again. */
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
        await failAdvance(
          services.pool,
          drive,
          `The step ${name} failed at ${drive.now.toISOString()}. What came before it is done; advance the ` +
            'clock again to continue from there.',
          services.clock.real(),
        );
        return 'failed';
      }
      await delay(tryAgainMs);
    }
  }
}
