import { setTimeout as wait } from 'node:timers/promises';
import type { SessionContext } from '../../call/context.ts';
import { empty, join, queryRows, type Sql, sql } from '../../database/sql.ts';
import { runAuditedChange } from '../../iam/public.ts';
import type { JobRun } from '../../jobs/jobs.ts';
import { Conflict, NotFound } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';

/** A job of the process that answers the call, and the number of rows that are due. */
export interface JobRow extends JobRun {
  backlog: number | null;
}

/** Counting stops at this number. */
export const backlogMax = 1_000;

/**
 * The jobs of the process that answers the call. The backlog is counted in the database, for one mode or both, and is
 * the same for every process.
 */
export async function listJobs({ services }: SessionContext, mode: Mode | null): Promise<JobRow[]> {
  return withBacklog(services, [...services.jobRuns.values()], mode);
}

/** One of these jobs, with what is due in both modes. */
export async function readJob({ services }: SessionContext, run: JobRun): Promise<JobRow> {
  const [job = { ...run, backlog: null }] = await withBacklog(services, [run], null);
  return job;
}

/** The runs of jobs with the number of rows that are due for each. */
async function withBacklog(
  { pool, clock }: SessionContext['services'],
  runs: readonly JobRun[],
  mode: Mode | null,
): Promise<JobRow[]> {
  const counted = dueRows(clock.earliest(), mode).filter(({ job }) => runs.some(({ name }) => name === job));
  const rows =
    counted.length === 0
      ? []
      : await queryRows<{ job: string; backlog: number }>(pool, join(counted.map(countOf), ' UNION ALL '));
  const backlogs = new Map(rows.map(({ job, backlog }) => [job, backlog]));
  return runs.map((run) => ({ ...run, backlog: backlogs.get(run.name) ?? null }));
}

interface DueRows {
  job: string;
  rows: Sql;
}

/** The rows that are due now, by job. Each is read from a partial index that contains only open rows. */
function dueRows(now: Date, mode: Mode | null): DueRows[] {
  const ofMode = mode === null ? empty : sql` AND mode = ${mode}`;
  return [
    {
      job: 'resolve-unknown-payments',
      rows: sql`
        FROM transactions
        WHERE status = 'processing'${ofMode}`,
    },
    {
      job: 'expire-challenges',
      rows: sql`
        FROM payments
        WHERE "subStatus" = 'requires_action' AND "actionExpiresAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'expire-authorizations',
      rows: sql`
        FROM payments
        WHERE "subStatus" = 'authorized' AND "authorizationExpiresAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'deliver-webhooks',
      rows: sql`
        FROM webhook_deliveries
        WHERE "nextAttemptAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'advance-test-clocks',
      rows: sql`
        FROM test_clocks
        WHERE status = 'advancing'${ofMode}`,
    },
    {
      job: 'expire-refund-requests',
      rows: sql`
        FROM refund_requests
        WHERE status = 'pending' AND "expiresAt" <= ${now}${ofMode}`,
    },
    {
      job: 'run-pending-compensations',
      rows: sql`
        FROM pending_compensations
        WHERE "dueAt" <= ${now}`,
    },
  ];
}

function countOf({ job, rows }: DueRows): Sql {
  return sql`
    SELECT ${job}::text AS job, count(*) AS backlog
    FROM (
      SELECT 1
      ${rows}
      LIMIT ${backlogMax}
    ) found`;
}

/** The answer waits no longer for the run, which continues. */
const answerMaxMs = 5_000;

/**
 * Starts a run of a job in the process that answers the call, before its interval has ended. It leases due rows like
 * every run, so that rows of other processes are skipped.
 */
export async function runJob(
  context: SessionContext,
  { name, reason }: { name: string; reason: string },
): Promise<JobRun> {
  const action = 'runJob';
  const job = await runAuditedChange(context, { action, target: name, reason }, async ({ audit }) => {
    const found = context.services.jobRuns.get(name);
    if (!found) throw new NotFound('There is no such job.');
    if (found.isRunning) throw new Conflict('invalid_state', 'The job is running already (invalid_state).');
    audit({ action, target: name, before: { lastStartedAt: found.lastStartedAt }, after: { reason } });
    return found;
  });
  await Promise.race([job.runNow(), wait(answerMaxMs, undefined, { ref: false })]);
  return job;
}
