import { setTimeout as delay } from 'node:timers/promises';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { storeAnswer } from '../../write/idempotency.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { recordKeyOf, write } from '../../write/write.ts';
import { clockSpan, findTestClock } from './clock-rows.ts';
import { driveTestClock } from './drive.ts';
import { readTestClock } from './read-test-clock.ts';

/** How far one advance may lead: two years with a leap day. */
const aheadMaxDays = 731;
const dayMs = 86_400_000;
/** How long the call waits for the end of the advance. */
const answerMaxMs = 10_000;
const pollMs = 100;

/**
 * Advances a test clock and runs everything that becomes due for its customers, in the order of time. The advance is
 * committed first; then this process drives the clock. When the call must return, or if the process dies, the job
 * continues.
 */
export async function advanceTestClock(context: KeyContext, testClockId: string, to: Date): Promise<TestClock> {
  const { services } = context;
  const accepted = await write(context, 'advanceTestClock', async ({ tx, now, audit }) => {
    const before = await findTestClock(context, tx, testClockId);
    const latest = new Date(Math.min(before.now.getTime() + aheadMaxDays * dayMs, clockSpan.last.getTime()));
    if (to < before.now)
      throw invalid(
        'to',
        `must not be before the clock's now, ${before.now.toISOString()}: a test clock only goes forward`,
      );
    if (to > latest)
      throw invalid(
        'to',
        `must be at most ${aheadMaxDays} days ahead of the clock's now, and never past ` +
          `${clockSpan.last.toISOString()}: ${latest.toISOString()} at the latest`,
      );
    const data = { status: 'advancing', target: to, failureReason: null, stepsDone: 0, updatedAt: now };
    const [advancing] = await tx.testClock.updateManyAndReturn({
      where: { id: testClockId, status: { not: 'advancing' } },
      data,
    });
    if (!advancing)
      throw new Conflict(
        'invalid_state',
        'The test clock is being advanced already: read it until its status is ready.',
      );
    for (const row of auditsOnBehalf(context, testClockId, { now: before.now }, { target: to })) audit(row);
    return advancing;
  });
  if (context.replayed) return accepted;

  const late = AbortSignal.timeout(answerMaxMs);
  await driveTestClock(services, testClockId, late);
  let reached = await readTestClock(context, testClockId);
  // The job of another process may have leased the clock first.
  for (; reached.status === 'advancing' && !late.aborted; reached = await readTestClock(context, testClockId)) {
    await delay(pollMs);
    await driveTestClock(services, testClockId, late);
  }
  // Until now a repeat of the call was answered with an advancing clock; from now on it gets the answer of this call.
  const recordKey = recordKeyOf(context, 'advanceTestClock');
  if (recordKey) await storeAnswer(services.pool, recordKey, reached);
  return reached;
}
