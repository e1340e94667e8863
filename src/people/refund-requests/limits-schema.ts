import { assertModeServed } from '../../auth/modes.ts';
import type { SessionContext } from '../../call/context.ts';
import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { Mode as ModeOfAccounts, storedColumn } from '../../graph/shared-types.ts';
import type { Mode } from '../../lib/ids.ts';
import { runAuditedChange } from '../iam/public.ts';
import { refusalToSetLimit } from './policy.ts';
import { assertMay } from './refund-request-rows.ts';

interface Limit {
  mode: Mode;
  currency: string;
  /** Null removes the limit. */
  amount?: number | null | undefined;
}

/** A limit as it is shown. */
interface RefundLimitRow {
  mode: string;
  currency: string;
  amount: bigint | number;
  updatedAt: Date;
}

/** Sets the amount from which a refund by an operator needs a second operator. Returns all limits of the mode. */
function setRefundLimit(
  context: SessionContext,
  { mode, currency, amount = null, reason }: Limit & { reason: string },
): Promise<RefundLimitRow[]> {
  const action = 'setRefundLimit';
  const target = `${mode} ${currency}`;
  return runAuditedChange(context, { action, target, reason }, async ({ tx, now, audit }) => {
    assertMay(refusalToSetLimit(context.caller));
    assertModeServed(context.services.config, mode);
    const where = { mode_currency: { mode, currency } };
    const before = await tx.refundLimit.findUnique({ where });
    if (amount === null) await tx.refundLimit.deleteMany({ where: { mode, currency } });
    else
      await tx.refundLimit.upsert({
        where,
        create: { mode, currency, amount, updatedAt: now },
        update: { amount, updatedAt: now },
      });
    audit({
      action,
      target,
      before: { amount: before && Number(before.amount) },
      after: { amount, reason },
      mode,
    });
    return tx.refundLimit.findMany({ where: { mode }, orderBy: { currency: 'asc' } });
  });
}

const RefundLimit = builder.objectRef<RefundLimitRow>('RefundLimit').implement({
  description: 'From which amount a refund by a person needs a second person.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    amount: t.field({
      type: 'Amount',
      description: 'The smallest amount that needs a second person, in minor units of the currency.',
      ...storedColumn('amount'),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

const mode = { type: ModeOfAccounts, required: true, description: 'The mode of the payments.' } as const;

builder.queryField('refundLimits', (t) =>
  t.withAuth({ platformStaff: true }).field({
    type: [RefundLimit],
    description: 'Lists from which amounts refunds by people need a second person, by currency. Empty without a limit.',
    args: { mode: t.arg(mode) },
    resolve: (_root, args, { services }) =>
      services.prisma.refundLimit.findMany({ where: { mode: args.mode }, orderBy: { currency: 'asc' } }),
  }),
);

builder.mutationField('setRefundLimit', (t) =>
  t.withAuth({ superadmin: true }).field({
    type: [RefundLimit],
    description:
      'Sets from which amount a refund by a person needs a second person. What people have refunded of the payment ' +
      'before counts. Refunds by API keys are not concerned. Requests that wait stay. Returns all limits of the ' +
      'mode. The change is recorded in the audit log.',
    args: {
      mode: t.arg(mode),
      currency: t.arg({ type: 'Currency', required: true, description: 'The ISO 4217 code of the currency.' }),
      amount: t.arg({
        type: 'Amount',
        description: 'The amount in minor units of the currency, from 1. Null, or left out: no limit.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setRefundLimit(context, args),
  }),
);
