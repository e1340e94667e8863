import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../lib/errors.ts';
import { isOutage, isUnsent } from '../lib/outage.ts';
import { isLockTimeout } from './errors.ts';

/** A commit that is tried again while the database is away. */
export interface Repeated<Result> {
  run(): Promise<Result>;
  /** The result if an earlier try was committed and its answer was lost; otherwise null. */
  done?(): Promise<Result | null>;
  /**
   * Whether it begins a change: if it was not even sent, or was rolled back since a lock was not free, nothing was done,
   * and the caller may try again.
   */
  begins?: true;
}

/** Runs what a call asks before it changes anything: if that is away, nothing was done. */
export async function nothingDoneIfUnavailable<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new Unavailable('none', { hasKey: false, cause: error });
  }
}

/**
 * Runs the later steps of a call, after one of its changes was committed: whatever is away then, the call may have been
 * done, although the step itself has done nothing.
 */
export async function perhapsDoneIfUnavailable<Result>(
  run: () => Promise<Result>,
  { hasKey = false }: { hasKey?: boolean } = {},
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isOutage(error) && !(error instanceof Unavailable)) throw error;
    throw new Unavailable('unknown', { hasKey, cause: error });
  }
}

const everyMs = 250;
/** Longer than a standby takes to become the primary. */
const forMs = 20_000;

/**
 * Runs what must not be lost to an outage of the database, and repeats it until the database is back. So a call in
 * flight ends with the outage, and not when a job finds what the call has left.
 */
export async function withOutageRetry<Result>(repeated: Repeated<Result>): Promise<Result> {
  const until = performance.now() + forMs;
  let failure: unknown;
  try {
    return await repeated.run();
  } catch (error) {
    if (!isOutage(error)) throw error;
    if (repeated.begins && (isUnsent(error) || isLockTimeout(error)))
      throw new Unavailable('none', { hasKey: false, cause: error });
    failure = error;
  }
  while (performance.now() < until) {
    await delay(everyMs);
    try {
      return await again(repeated);
    } catch (error) {
      if (!isOutage(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function again<Result>({ run, done = async () => null }: Repeated<Result>): Promise<Result> {
  const earlier = await done();
  if (earlier !== null) return earlier;
  try {
    const result = await run();
    return result ? result : ((await done()) ?? result);
  } catch (error) {
    if (isOutage(error)) throw error;
    // The earlier try was still being committed.
    const late = await done();
    if (late !== null) return late;
    throw error;
  }
}
