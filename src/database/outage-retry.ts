import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../lib/errors.ts';
import { isOutage, isUnsent } from '../lib/outage.ts';
import { isLockTimeout } from './errors.ts';

/** A commit that is retried while the database is unavailable. */
export interface Repeated<Result> {
  run(): Promise<Result>;
  /** The result if an earlier attempt was committed and its answer was lost; otherwise null. */
  done?(): Promise<Result | null>;
  /**
   * Whether it is the first change of a call: if it was not sent, or was rolled back because a lock was not free,
   * nothing was done, and the caller may retry.
   */
  begins?: true;
}

/** Runs the reads of a call before its first change: if what they need is unavailable, nothing was done. */
export async function nothingDoneIfUnavailable<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new Unavailable('none', { hasKey: false, cause: error });
  }
}

/**
 * Runs the later steps of a call, after one of its changes was committed: if something is unavailable then, the call
 * may have had an effect, even if the step itself had none.
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
/** Longer than the failover to a standby takes. */
const forMs = 20_000;

/**
 * Runs a commit that must not be lost to an outage of the database, and retries it until the database is back. So the
 * call in flight completes it, and not a later job.
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
    // The earlier attempt was still being committed.
    const late = await done();
    if (late !== null) return late;
    throw error;
  }
}
