import type { SessionContext } from '../graph/context.ts';
import type { SweepRun } from '../kit/sweeps.ts';

/** Work that runs beside the requests, and what waits for it. */
export interface JobRow extends SweepRun {
  backlog: number | null;
}

/** More is not counted: whoever looks at it knows enough. */
export const backlogMax = 1_000;

/** What is due at this moment, by the sweep that will do it. Each along a partial index, which holds what is open and nothing else. */
const due: Readonly<Record<string, string>> = {
  'settle-unknown-payments': `transactions WHERE status = 'processing'`,
  'expire-challenges': `payments WHERE "subStatus" = 'requires_action' AND "actionExpiresAt" <= $1 AND "testClockId" IS NULL`,
  'expire-authorizations': `payments WHERE "subStatus" = 'authorized' AND "authorizationExpiresAt" <= $1 AND "testClockId" IS NULL`,
  'deliver-webhooks': `webhook_deliveries WHERE "nextAttemptAt" <= $1 AND "testClockId" IS NULL`,
  'advance-test-clocks': `test_clocks WHERE status = 'advancing'`,
  'settle-pending-reverts': `pending_reverts WHERE "dueAt" <= $1`,
};

const backlogStatement = `SELECT ${Object.entries(due)
  .map(([name, rows]) => `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${backlogMax}) found) AS "${name}"`)
  .join(', ')}, $1::timestamptz AS at`;

/** The sweeps of the process that answers; what waits is counted in the database, and is the same for every process. */
export async function listJobs({ env }: SessionContext): Promise<JobRow[]> {
  const { rows } = await env.pool.query<Record<string, number>>({
    name: 'job-backlog',
    text: backlogStatement,
    values: [env.clock.now()],
  });
  return [...env.sweepRuns.values()].map((run) => ({ ...run, backlog: rows[0]?.[run.name] ?? null }));
}
