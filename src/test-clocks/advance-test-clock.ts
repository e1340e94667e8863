import { setTimeout as delay } from 'node:timers/promises';
import type { TestClock } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, invalid } from '../kit/errors.ts';
import { storeAnswer } from '../kit/idempotency.ts';
import { scopeOf, write } from '../kit/write.ts';
import { driveTestClock } from './drive.ts';
import { clockSpan, findTestClock, readTestClock } from './operations.ts';

/** How far one advance may lead: two years, and the leap day they may have. */
const aheadMaxDays = 731;
const dayMs = 86_400_000;
/** How long the answer waits for the end. */
const answerMaxMs = 10_000;
const pollMs = 100;

/**
 * Moves a test clock forward and does on the way, in order and each at its moment, what becomes due for its customers. The intent
 * is committed first; then this process drives the clock, and when the answer must be given, or the process dies, a sweep goes on.
 */
export async function advanceTestClock(context: KeyContext, testClockId: string, to: Date): Promise<TestClock> {
  const { env } = context;
  const accepted = await write(context, 'advanceTestClock', async ({ tx, now }) => {
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
        `must be at most ${aheadMaxDays} days ahead of the clock's now, and never past ${clockSpan.last.toISOString()}: ${latest.toISOString()} at the latest`,
      );
    const data = { status: 'advancing', target: to, failureReason: null, stepsDone: 0, updatedAt: now };
    const [moved] = await tx.testClock.updateManyAndReturn({
      where: { id: testClockId, status: { not: 'advancing' } },
      data,
    });
    if (!moved)
      throw new Conflict(
        'invalid_state',
        'The test clock is being advanced already: read it until its status is ready.',
      );
    return moved;
  });
  if (context.replayed) return accepted;

  const late = AbortSignal.timeout(answerMaxMs);
  await driveTestClock(env, testClockId, late);
  let reached = await readTestClock(context, testClockId);
  // A sweep of another process may have been quicker to take it.
  for (; reached.status === 'advancing' && !late.aborted; reached = await readTestClock(context, testClockId)) {
    await delay(pollMs);
    await driveTestClock(env, testClockId, late);
  }
  // Until here a repeat of the call was told that the clock is advancing; from here on it is told what this one is.
  const scope = scopeOf(context, 'advanceTestClock');
  if (scope) await storeAnswer(env.pool, scope, reached);
  return reached;
}
