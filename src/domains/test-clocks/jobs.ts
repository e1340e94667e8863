import { type Due, markUnresponsive, runDueRows } from '../../jobs/run-due-rows.ts';
import type { Services } from '../../services.ts';
import { driveTestClock, idleClocks } from './drive.ts';

const leasedMax = 16;
/** How long a clock is driven in one turn, so that a long advance does not delay the others. */
const turnMs = 5_000;
/** If a drive continues for so long after its turn, its processor does not answer. */
const lateAfterMs = 2 * turnMs;

/** Continues advances that no process drives: the call returned before their end, or their process died. */
export function advanceTestClocks(
  services: Services,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  return runDueRows<Due>({
    lease: (full) => idleClocks(services.pool, services.clock.real(), full, leasedMax),
    run: (due) => takeTurn(services, due, stopping),
    failed: (error, { id: testClockId }) =>
      services.log.warn({ err: error, testClockId }, 'A test clock could not be driven. It will be driven again.'),
    stopping,
  });
}

/**
 * `processorId` is the account of the clock and stands for all of its connections: if one of them does not answer, the
 * clocks of the account are driven last.
 */
async function takeTurn(services: Services, { id, processorId }: Due, stopping: AbortSignal): Promise<void> {
  const late = setTimeout(() => processorId !== null && markUnresponsive(processorId), lateAfterMs);
  try {
    await driveTestClock(services, id, AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]));
  } finally {
    clearTimeout(late);
  }
}
