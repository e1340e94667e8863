import { setTimeout as delay } from 'node:timers/promises';
import { ownRow, visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import { Conflict, invalid } from '../../lib/errors.ts';
import { writeInSteps } from '../../unit-of-work/multi-step-call.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { clockSpan } from './clock-rows.ts';
import { driveTestClock } from './drive.ts';

/** How far ahead one advance may go: two years with a leap day. */
const aheadMaxDays = 731;
const dayMs = 86_400_000;
/** How long the call waits for the end of the advance. */
const answerMaxMs = 10_000;
const pollMs = 100;

/**
 * Advances a test clock and runs everything that becomes due for its customers, in the order of time. The advance is
 * committed first; then this process drives the clock. When the call must return, or if the process dies, the job
 * continues. A later repeat waits for the end like the first call.
 */
export async function advanceTestClock(context: TenantContext, testClockId: string, to: Date): Promise<TestClock> {
  return writeInSteps(
    context,
    'advanceTestClock',
    (change) => beginAdvance(context, change, testClockId, to),
    (accepted) => (accepted.status === 'advancing' ? reach(context, testClockId) : Promise.resolve(accepted)),
  );
}

async function beginAdvance(
  context: TenantContext,
  { tx, now, audit }: Write,
  testClockId: string,
  to: Date,
): Promise<TestClock> {
  const before = await ownRow(tx, context.tenant, 'testClock', testClockId);
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
    throw new Conflict('invalid_state', 'The test clock is already being advanced: read it until its status is ready.');
  for (const row of auditsOnBehalf(context, testClockId, { now: before.now }, { target: to })) audit(row);
  return advancing;
}

/** Drives the clock until it has reached its target, or the call must return. */
async function reach(context: TenantContext, testClockId: string): Promise<TestClock> {
  const { services } = context;
  const late = AbortSignal.timeout(answerMaxMs);
  await driveTestClock(services, testClockId, late);
  let reached = await visible(context, 'testClock', testClockId);
  // The job of another process may have leased the clock first.
  for (; reached.status === 'advancing' && !late.aborted; reached = await visible(context, 'testClock', testClockId)) {
    await delay(pollMs);
    await driveTestClock(services, testClockId, late);
  }
  return reached;
}
