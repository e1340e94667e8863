import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { Mode } from '../../graph/shared-types.ts';
import { type EndedRun, recentRunsMax } from '../../jobs/jobs.ts';
import { backlogMax } from './due-rows.ts';
import { type JobRow, listJobs, readJob, runJob } from './jobs.ts';

const JobRun = builder.objectRef<EndedRun>('JobRun').implement({
  description: 'A run of a job that has ended.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time at which it started.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Duration in milliseconds.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Message of its error, at most 500 characters. Null if it succeeded.',
    }),
  }),
});

const Job = builder.objectRef<JobRow>('Job').implement({
  description:
    'A job that runs repeatedly beside requests. Every process runs it; a due row is processed by the process that ' +
    'leases it first.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the job, for example `deliver-webhooks`.' }),
    everyMs: t.exposeInt('everyMs', { description: 'Pause between two runs in milliseconds.' }),
    runs: t.exposeInt('runs', { description: 'Number of runs since the answering process was started.' }),
    failures: t.exposeInt('failures', {
      description: 'Number of those runs that failed. The next run processes what a failed run left.',
    }),
    isRunning: t.exposeBoolean('isRunning', { description: 'Whether a run is in progress.' }),
    lastStartedAt: t.expose('lastStartedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the last run. Null if there was none.',
    }),
    lastDurationMs: t.exposeInt('lastDurationMs', {
      nullable: true,
      description: 'Duration of the last finished run in milliseconds. Null if there was none.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Message of the last error, at most 500 characters. Null if no run has failed since the start.',
    }),
    lastErrorAt: t.expose('lastErrorAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last error. Null if no run has failed since the start.',
    }),
    recentRuns: t.field({
      type: [JobRun],
      description: `The latest ${recentRunsMax} runs that have ended, newest first.`,
      resolve: ({ recent }) => recent,
    }),
    backlog: t.exposeInt('backlog', {
      nullable: true,
      description:
        `Number of rows that are due now, over all processes, counted up to ${backlogMax}. Null for a job whose rows ` +
        'are not counted.',
    }),
    oldestDueAt: t.expose('oldestDueAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time since which the oldest of these rows has been due. Null if none is due, and for a job whose rows are ' +
        'not counted.',
    }),
  }),
});

builder.queryFields((t) => ({
  jobs: t.withAuth({ platformStaff: true }).field({
    type: [Job],
    description:
      'Lists the jobs of the answering process with their last run, their last error and the number of due rows. For ' +
      'internal staff.',
    args: {
      mode: t.arg({
        type: Mode,
        description:
          'Counts only due rows of this mode. Without it, of both modes. Runs and errors belong to the process and ' +
          'have no mode, and neither have the rows of `run-pending-compensations` and `end-expired-invitations`, ' +
          'which are always counted.',
      }),
    },
    resolve: (_root, { mode }, context) => listJobs(context, mode ?? null),
  }),
}));

builder.mutationField('runJob', (t) =>
  t.withAuth({ hub: true }).field({
    type: Job,
    description:
      'Starts a run of a job in the answering process, before its time, and answers when it has ended, or after 5 ' +
      'seconds with `isRunning`. Rows that another process works on are skipped. 404 if the process has no such ' +
      'job, 409 `invalid_state` while it runs it. For hubadmin and above. The change is recorded in the audit log. ' +
      'An `Idempotency-Key` is ignored.',
    args: {
      name: t.arg({ type: 'Name', required: true, description: 'Name of the job, for example `deliver-webhooks`.' }),
      reason: t.arg(reason),
    },
    resolve: async (_root, args, context) => readJob(context, await runJob(context, args)),
  }),
);
