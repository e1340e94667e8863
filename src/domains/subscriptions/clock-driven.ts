import { queryRow, queryRows, sql } from '../../database/sql.ts';
import type { ClockDriven } from '../../ports/clock-driven.ts';
import type { Services } from '../../services.ts';
import { jobOf } from './jobs.ts';
import { runSubscription } from './run-subscription.ts';

/** Subscriptions of customers on a test clock. */
export const clockDrivenSubscriptions: ClockDriven = {
  name: 'subscriptions',
  nextDue: nextDueSubscription,
  runDue: runDueOf,
};

/** The next time at which a test clock must stop for its subscriptions. */
async function nextDueSubscription({ pool }: Services, testClockId: string): Promise<Date | null> {
  const row = await queryRow<{ at: Date | null }>(
    pool,
    sql`
      SELECT min("dueAt") AS at
      FROM subscriptions
      WHERE "testClockId" = ${testClockId} AND "dueAt" IS NOT NULL`,
  );
  return row?.at ?? null;
}

/** Runs the subscriptions that are due on a test clock, in the order of time. */
async function runDueOf(services: Services, testClockId: string, at: Date): Promise<number> {
  const due = await queryRows<{ id: string }>(
    services.pool,
    sql`
      SELECT id
      FROM subscriptions
      WHERE "testClockId" = ${testClockId} AND "dueAt" <= ${at}
      ORDER BY "dueAt", id`,
  );
  let done = 0;
  for (const { id } of due) done += await runSubscription(jobOf(services), id);
  return done;
}
