import { setTimeout as wait } from 'node:timers/promises';
import type { SessionContext } from '../../call/context.ts';
import { runAuditedChange } from '../../iam/public.ts';
import type { JobRun } from '../../jobs/jobs.ts';
import { Conflict, NotFound } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import { type DueOfJob, readDueRows } from './due-rows.ts';

/** A job of the process that answers the call, and what is due for it. */
export interface JobRow extends JobRun {
  /** Null for a job whose rows are not counted. */
  backlog: number | null;
  oldestDueAt: Date | null;
}

/**
 * The jobs of the process that answers the call. The backlog is counted in the database, for one mode or both, and is
 * the same for every process.
 */
export async function listJobs({ services }: SessionContext, mode: Mode | null): Promise<JobRow[]> {
  return withBacklog(services, [...services.jobRuns.values()], mode);
}

/** One of these jobs, with what is due in both modes. */
export async function readJob({ services }: SessionContext, run: JobRun): Promise<JobRow> {
  const [job = withDue(run)] = await withBacklog(services, [run], null);
  return job;
}

/** The runs of jobs with what is due for each. */
async function withBacklog(
  { pool, clock }: SessionContext['services'],
  runs: readonly JobRun[],
  mode: Mode | null,
): Promise<JobRow[]> {
  const names = runs.map(({ name }) => name);
  const due = new Map((await readDueRows(pool, clock.earliest(), mode, names)).map((each) => [each.job, each]));
  return runs.map((run) => withDue(run, due.get(run.name)));
}

function withDue(run: JobRun, due?: DueOfJob): JobRow {
  return { ...run, backlog: due?.backlog ?? null, oldestDueAt: due?.oldestDueAt ?? null };
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
    if (!found) throw new NotFound('Job not found.');
    if (found.isRunning) throw new Conflict('invalid_state', 'The job is already running (invalid_state).');
    audit({ action, target: name, before: { lastStartedAt: found.lastStartedAt }, after: { reason } });
    return found;
  });
  await Promise.race([job.runNow(), wait(answerMaxMs, undefined, { ref: false })]);
  return job;
}
