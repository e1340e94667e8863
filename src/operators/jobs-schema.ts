import { builder } from '../graph/builder.ts';
import { limitedTo } from '../graph/field-limits.ts';
import type { BooksReport } from '../ledger/operations.ts';
import { backlogMax, type JobRow, listJobs } from './jobs.ts';
import { differencesShownMax, proveLedger } from './ledger-proof.ts';

const OperatorJob = builder.objectRef<JobRow>('OperatorJob').implement({
  description:
    'Work that runs again and again beside the requests. Every process runs it; whoever finds a due row does it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it does, such as `deliver-webhooks`.' }),
    everyMs: t.exposeInt('everyMs', { description: 'The pause between two passes, in milliseconds.' }),
    runs: t.exposeInt('runs', { description: 'Passes since the process that answers was started.' }),
    failures: t.exposeInt('failures', {
      description: 'How many of them failed. A failed pass is made up for by the next.',
    }),
    isRunning: t.exposeBoolean('isRunning', { description: 'Whether a pass is under way.' }),
    lastStartedAt: t.expose('lastStartedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last pass began.',
    }),
    lastDurationMs: t.exposeInt('lastDurationMs', {
      nullable: true,
      description: 'How long the last finished pass took, in milliseconds.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'What went wrong last, at most 500 characters; null when nothing has since the start.',
    }),
    lastErrorAt: t.expose('lastErrorAt', { type: 'DateTime', nullable: true, description: 'When that was.' }),
    backlog: t.exposeInt('backlog', {
      nullable: true,
      description: `Rows that are due now, over all processes, counted up to ${backlogMax}; null where counting would cost more than it tells.`,
    }),
  }),
});

const LedgerDifference = builder.objectRef<BooksReport['differences'][number]>('LedgerDifference').implement({
  description: 'Something in the books that is not as it must be.',
  fields: (t) => ({
    about: t.exposeString('about', {
      description: 'What it is about: a payment, a transaction, or an account of the books.',
    }),
    message: t.exposeString('message', { description: 'What is wrong, in plain words.' }),
  }),
});

const LedgerProof = builder.objectRef<BooksReport>('LedgerProof').implement({
  description:
    'Whether the books hold: postings sum to zero in every currency, balances are the sums of their postings, every payment can be rebuilt from its postings, and the test processor has on record what we have.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Whether nothing is wrong.', resolve: ({ differences }) => differences.length === 0 }),
    postings: t.exposeInt('postings', { description: 'Postings looked at.' }),
    payments: t.exposeInt('payments', { description: 'Payments looked at.' }),
    charges: t.exposeInt('charges', { description: "Charges compared with the test processor's own books." }),
    unsettled: t.exposeInt('unsettled', {
      description: 'Charges left out of that comparison, since their outcome is not known yet.',
    }),
    differenceCount: t.int({
      description: 'How many things are wrong.',
      resolve: ({ differences }) => differences.length,
    }),
    differences: t.field({
      type: [LedgerDifference],
      description: `What is wrong; the first ${differencesShownMax}.`,
      resolve: ({ differences }) => differences.slice(0, differencesShownMax),
    }),
  }),
});

builder.queryFields((t) => ({
  operatorJobs: t.withAuth({ platformStaff: true }).field({
    type: [OperatorJob],
    description:
      'The work beside the requests: when it last ran in the process that answers, what went wrong last, and what is due. For internal staff.',
    resolve: (_root, _args, context) => listJobs(context),
  }),
  ledgerProof: t.withAuth({ platformStaff: true }).field({
    type: LedgerProof,
    description:
      'Proves the books over the whole of them, of both modes and all partners. It reads every posting: at most 6 a minute for one person. For internal staff.',
    resolve: limitedTo(
      { name: 'ledgerProof', perMinute: 6, whose: ({ caller }) => caller.userId },
      (_root, _args, context) => proveLedger(context),
    ),
  }),
}));
