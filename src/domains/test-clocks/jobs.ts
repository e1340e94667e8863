import type { Services } from '../../services.ts';
import { driveTestClock } from './drive.ts';
import { idleClocks } from './drive-statements.ts';

/** More at once would take the database connections that requests need. */
const atOnceMax = 4;
/** The time one run drives a clock, so that a long advance does not delay the others. */
const turnMs = 5_000;

/** Continues advances that no process drives: the call returned before their end, or their process died. */
export async function advanceTestClocks(
  services: Services,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  const idle = await idleClocks(services.pool, services.clock.real(), atOnceMax);
  const turn = AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]);
  await Promise.all(idle.map((testClockId) => driveTestClock(services, testClockId, turn)));
  return idle.length;
}
