import { Mode } from '../../domains/accounts/public.ts';
import type { LedgerReport } from '../../domains/ledger/public.ts';
import { builder } from '../../graph/builder.ts';
import { limitedTo } from '../../graph/field-limits.ts';
import { backlogMax, type JobRow, listJobs } from './list-jobs.ts';
import { differencesShownMax, proveLedger } from './prove-ledger.ts';

const OperatorJob = builder.objectRef<JobRow>('OperatorJob').implement({
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
    backlog: t.exposeInt('backlog', {
      nullable: true,
      description:
        `Number of rows that are due now, over all processes, counted up to ${backlogMax}. Null for a job whose rows ` +
        'are not counted.',
    }),
  }),
});

const LedgerDifference = builder.objectRef<LedgerReport['differences'][number]>('LedgerDifference').implement({
  description: 'A difference found by a verification of the ledger.',
  fields: (t) => ({
    about: t.exposeString('about', {
      description: 'The subject of the difference: a payment, a transaction or a ledger account.',
    }),
    message: t.exposeString('message', { description: 'Description of the difference.' }),
  }),
});

const LedgerProof = builder.objectRef<LedgerReport>('LedgerProof').implement({
  description:
    'The result of a verification of the ledger. It checks that postings sum to zero in every currency, that ' +
    'balances are the sums of their postings, that every payment can be rebuilt from its postings, and that the ' +
    'records of the test processor agree.',
  fields: (t) => ({
    ok: t.boolean({
      description: 'Whether no difference was found.',
      resolve: ({ differences }) => differences.length === 0,
    }),
    postings: t.exposeInt('postings', { description: 'Number of verified postings.' }),
    payments: t.exposeInt('payments', { description: 'Number of verified payments.' }),
    charges: t.exposeInt('charges', {
      description: "Number of charges compared with the test processor's records.",
    }),
    unsettled: t.exposeInt('unsettled', {
      description: 'Number of charges left out of that comparison, since their outcome is unknown.',
    }),
    differenceCount: t.int({
      description: 'Number of differences.',
      resolve: ({ differences }) => differences.length,
    }),
    differences: t.field({
      type: [LedgerDifference],
      description: `The first ${differencesShownMax} differences.`,
      resolve: ({ differences }) => differences.slice(0, differencesShownMax),
    }),
  }),
});

builder.queryFields((t) => ({
  operatorJobs: t.withAuth({ platformStaff: true }).field({
    type: [OperatorJob],
    description:
      'Lists the jobs of the answering process with their last run, their last error and the number of due rows. For ' +
      'internal staff.',
    args: {
      mode: t.arg({
        type: Mode,
        description:
          'Counts only due rows of this mode. Without it, of both modes. Runs and errors belong to the process and ' +
          'have no mode, and neither have the rows of `run-pending-reverts`, which are always counted.',
      }),
    },
    resolve: (_root, { mode }, context) => listJobs(context, mode ?? null),
  }),
  ledgerProof: t.withAuth({ platformStaff: true }).field({
    type: LedgerProof,
    description:
      'Verifies the whole ledger of all partners. It reads every posting. At most 6 calls a minute for a user. For ' +
      'internal staff.',
    args: {
      mode: t.arg({
        type: Mode,
        description:
          'Verifies the postings, balances, payments, refunds and disputes of this mode. Without it, of both modes. ' +
          'The records of the test processor belong to test mode and are not compared for `live`.',
      }),
    },
    resolve: limitedTo(
      { name: 'ledgerProof', perMinute: 6, whose: ({ caller }) => caller.userId },
      (_root, { mode }, context) => proveLedger(context, mode ?? null),
    ),
  }),
}));
