import type { SessionContext } from '../call/context.ts';
import {
  differencesShownMax,
  type LedgerCheck,
  type LedgerReport,
  type LinkedDifference,
  latestCheck,
  linkDifferences,
  storeCheck,
  verifyLedger,
} from '../domains/ledger/public.ts';
import { builder } from '../graph/builder.ts';
import { Mode as ModeOfAccounts } from '../graph/shared-types.ts';
import type { Mode } from '../lib/ids.ts';
import type { Services } from '../services.ts';

const running = new WeakMap<Services['pool'], Map<Mode | null, Promise<LedgerReport>>>();

/**
 * Verifies the ledger of a mode, or of both, and stores the result. Calls during a verification in this process share
 * its result.
 */
function verifyOnce({ services }: SessionContext, mode: Mode | null): Promise<LedgerReport> {
  const ofPool = running.get(services.pool) ?? new Map<Mode | null, Promise<LedgerReport>>();
  running.set(services.pool, ofPool);
  const present = ofPool.get(mode);
  if (present) return present;
  const verification = verifyAndStore(services, mode).finally(() => ofPool.delete(mode));
  ofPool.set(mode, verification);
  return verification;
}

async function verifyAndStore(services: Services, mode: Mode | null): Promise<LedgerReport> {
  const at = services.clock.now();
  const report = await verifyLedger(services, mode);
  await storeCheck(services.pool, { mode, at, differences: report.differences });
  return report;
}

const LedgerDifference = builder.objectRef<LinkedDifference>('LedgerDifference').implement({
  description: 'A difference found by a verification of the ledger.',
  fields: (t) => ({
    about: t.exposeString('about', {
      description: 'The subject of the difference: a payment, a transaction or a ledger account.',
    }),
    message: t.exposeString('message', { description: 'Description of the difference.' }),
    paymentId: t.exposeID('paymentId', {
      nullable: true,
      description: 'The payment that the subject belongs to, prefix `pay_`. Null if it is about no payment.',
    }),
  }),
});

const LedgerVerification = builder.objectRef<LedgerReport>('LedgerVerification').implement({
  description:
    'The result of a verification of the ledger. It checks that postings sum to zero in every currency, that ' +
    'balances are the sums of their postings, that every payment can be rebuilt from its postings, and that the ' +
    'records of the test processor agree.',
  fields: (t) => ({
    ok: t.boolean({
      description: 'Whether no difference was found.',
      resolve: ({ differences }) => differences.length === 0,
    }),
    postings: t.expose('postings', { type: 'Count', description: 'Number of verified postings.' }),
    payments: t.expose('payments', { type: 'Count', description: 'Number of verified payments.' }),
    charges: t.expose('charges', {
      type: 'Count',
      description: "Number of charges compared with the test processor's records.",
    }),
    unresolved: t.expose('unresolved', {
      type: 'Count',
      description: 'Number of charges excluded from that comparison: their outcome is unknown.',
    }),
    differenceCount: t.int({
      description: 'Number of differences.',
      resolve: ({ differences }) => differences.length,
    }),
    differences: t.field({
      type: [LedgerDifference],
      description: `The first ${differencesShownMax} differences.`,
      resolve: ({ differences }, _args, { services }) =>
        linkDifferences(services.pool, differences.slice(0, differencesShownMax)),
    }),
  }),
});

const LedgerCheckObject = builder.objectRef<LedgerCheck>('LedgerCheck').implement({
  description: 'The latest verification of the ledger. It is the result at the time of the verification.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the verification.' }),
    differenceCount: t.exposeInt('differenceCount', { description: 'Number of differences that were found.' }),
    differences: t.field({
      type: [LedgerDifference],
      description: `The first ${differencesShownMax} differences.`,
      resolve: ({ differences }, _args, { services }) => linkDifferences(services.pool, differences),
    }),
  }),
});

builder.queryFields((t) => ({
  ledgerCheck: t.withAuth({ platformStaff: true }).field({
    type: LedgerCheckObject,
    nullable: true,
    description:
      'Returns the latest verification of the ledger of one mode, by `ledgerVerification` or `platform verify ledger`, ' +
      'without verifying again. Null if there was none. For internal staff.',
    args: { mode: t.arg({ type: ModeOfAccounts, required: true, description: 'The mode.' }) },
    resolve: (_root, { mode }, { services }) => latestCheck(services.pool, mode),
  }),
  ledgerVerification: t.withAuth({ platformStaff: true }).field({
    type: LedgerVerification,
    description:
      'Verifies the whole ledger of all partners, and keeps the result for `ledgerCheck`. It reads every posting. At ' +
      'most 6 calls a minute for a user. For internal staff.',
    args: {
      mode: t.arg({
        type: ModeOfAccounts,
        description:
          'Verifies the postings, balances, payments, refunds and disputes of this mode. Without it, of both modes. ' +
          'The records of the test processor belong to test mode and are not compared for `live`.',
      }),
    },
    rateLimit: { max: 6, window: '1m', by: ({ caller }) => caller.userId },
    resolve: (_root, { mode }, context) => verifyOnce(context, mode ?? null),
  }),
}));
