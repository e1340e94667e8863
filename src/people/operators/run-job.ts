import { setTimeout as wait } from 'node:timers/promises';
import type { SessionContext } from '../../graph/context.ts';
import { Conflict, NotFound } from '../../kit/errors.ts';
import type { JobRun } from '../../runtime/jobs.ts';
import { runAuditedChange } from '../iam/public.ts';

/** An answer waits no longer for the run, which goes on. */
const answerMaxMs = 5_000;

/**
 * Begins a run of a job in the process that answers, before its time. It finds due rows and leases them as every run
 * does, so that what another process works on is left alone.
 */
export async function runJob(
  context: SessionContext,
  { name, reason }: { name: string; reason: string },
): Promise<JobRun> {
  const action = 'operatorRunJob';
  const job = await runAuditedChange(context, { action, target: name }, async ({ audit }) => {
    const found = context.services.jobRuns.get(name);
    if (!found) throw new NotFound('There is no such job.');
    if (found.isRunning) throw new Conflict('invalid_state', 'The job is running already (invalid_state).');
    audit({ action, target: name, before: { lastStartedAt: found.lastStartedAt }, after: { reason } });
    return found;
  });
  await Promise.race([job.runNow(), wait(answerMaxMs, undefined, { ref: false })]);
  return job;
}
