import { setTimeout as delay } from 'node:timers/promises';
import type { Env } from '../env.ts';
import type { ClockDriven } from '../kit/clock-driven.ts';
import { randomBase62 } from '../kit/ids.ts';
import {
  type Drive,
  failAdvance,
  finishAdvance,
  reachMoment,
  releaseClock,
  renewLease,
  takeClock,
} from './drive-statements.ts';

/** A step that throws is tried again before the advance is given up: a processor or a connection may have been gone for a moment. */
const triesMax = 3;
const tryAgainMs = 200;
/** What is due and held by another, such as a delivery in flight, is waited for this long. */
const waitMaxMs = 60_000;
const waitMs = 50;
const renewEveryMs = 5_000;

interface Due {
  domain: ClockDriven;
  at: Date;
}

/**
 * Drives a clock that is advancing towards its target, until it is there, has failed, is taken over, or `stopping`. One process
 * at a time does, by a lease it renews. Nothing else is kept: after a crash the next driver finds what is due in the rows.
 */
export async function driveTestClock(env: Env, testClockId: string, stopping: AbortSignal): Promise<void> {
  const drive = await takeClock(env.pool, { testClockId, drivenBy: randomBase62(16) }, env.clock.real());
  if (!drive) return;
  const renewing = setInterval(
    () =>
      void renewLease(env.pool, drive, env.clock.real()).catch((error: unknown) =>
        env.log.warn({ err: error, testClockId }, 'The lease of a test clock could not be renewed.'),
      ),
    renewEveryMs,
  );
  try {
    while (!stopping.aborted) if (!(await step(env, drive))) return;
    await releaseClock(env.pool, drive);
  } finally {
    clearInterval(renewing);
  }
}

/** Does what is due next. False when the drive is over. */
async function step(env: Env, drive: Drive): Promise<boolean> {
  const { pool, clock } = env;
  const due = await earliest(env, drive);
  if (due === 'failed') return false;
  if (due === null) {
    await finishAdvance(pool, drive, clock.real());
    return false;
  }
  // What was due before the clock came to it, since it was made late, is done now: a clock never goes back.
  const moment = due.at > drive.now ? due.at : drive.now;
  if (!(await reachMoment(pool, drive, moment, clock.real()))) return false;
  drive.now = moment;
  return (await tried(env, drive, due.domain.name, () => carryOut(env, drive, due))) !== 'failed';
}

/** The next thing due within the advance. Of several at one moment that of the domain that stands first. */
function earliest(env: Env, drive: Drive): Promise<Due | null | 'failed'> {
  return tried(env, drive, 'looking for what is due', async () => {
    let next: Due | null = null;
    for (const domain of env.clockDriven) {
      const at = await domain.nextDue(env, drive.testClockId);
      if (at !== null && at <= drive.target && (next === null || later(at, drive.now) < later(next.at, drive.now)))
        next = { domain, at };
    }
    return next;
  });
}

function later(one: Date, other: Date): number {
  return Math.max(one.getTime(), other.getTime());
}

async function carryOut(env: Env, drive: Drive, { domain, at }: Due): Promise<void> {
  const until = performance.now() + waitMaxMs;
  for (;;) {
    const done = await env.clock.on({ id: drive.testClockId, now: drive.now }, () =>
      domain.runDue(env, drive.testClockId, drive.now),
    );
    if (done > 0) return;
    const left = await domain.nextDue(env, drive.testClockId);
    if (left === null || left > at) return;
    if (performance.now() > until) throw new StillDue(domain.name);
    await delay(waitMs);
  }
}

class StillDue extends Error {
  constructor(name: string) {
    super(`Something of ${name} stayed due for ${waitMaxMs / 1000} s.`);
  }
}

/** Ends the advance when something fails for good: the clock then says so, where it stands, and can be advanced again. */
async function tried<Result>(
  env: Env,
  drive: Drive,
  name: string,
  run: () => Promise<Result>,
): Promise<Result | 'failed'> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      env.log.warn(
        { err: error, testClockId: drive.testClockId, step: name, at: drive.now },
        'A step of a test clock failed.',
      );
      if (attempt === triesMax || error instanceof StillDue) {
        await failAdvance(
          env.pool,
          drive,
          `The step ${name} failed at ${drive.now.toISOString()}. What came before it is done; advance the clock again to go on from there.`,
          env.clock.real(),
        );
        return 'failed';
      }
      await delay(tryAgainMs);
    }
  }
}
