import { type Due, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { driveTestClock } from './drive.ts';
import { idleClocks } from './drive-statements.ts';

/** More at once would take the database connections that requests need. */
const atOnceMax = 8;
/** The time one turn drives a clock, so that a long advance does not delay the others. */
const turnMs = 5_000;

/** Continues advances that no process drives: the call returned before their end, or their process died. */
export function advanceTestClocks(
  services: Services,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  return runAtOnce<Due>({
    lease: (full) => idleClocks(services.pool, services.clock.real(), full, atOnceMax),
    run: ({ id }) => driveTestClock(services, id, AbortSignal.any([stopping, AbortSignal.timeout(turnMs)])),
    failed: (error, { id: testClockId }) =>
      services.log.warn({ err: error, testClockId }, 'A test clock could not be driven. It will be driven again.'),
    stopping,
    most: atOnceMax,
  });
}
