import type { Env } from '../env.ts';
import { idleClocks } from './drive-statements.ts';
import { driveTestClock } from './drive.ts';

/** More at once would take the connections of those who wait for answers. */
const atOnceMax = 4;
/** Each gets so long a turn, so that a long advance keeps no other from beginning. */
const turnMs = 5_000;

/** Goes on with advances that nobody drives: their answer was given before their end, or their driver died. */
export async function advanceTestClocks(
  env: Env,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  const idle = await idleClocks(env.pool, env.clock.real(), atOnceMax);
  const turn = AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]);
  await Promise.all(idle.map((testClockId) => driveTestClock(env, testClockId, turn)));
  return idle.length;
}
