import { Mode } from '../../domains/accounts/public.ts';
import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { storedWhole } from '../../graph/first-answers.ts';
import { reason } from '../operators/public.ts';
import { type RefundLimitRow, setRefundLimit } from './set-refund-limit.ts';

const RefundLimit = builder.objectRef<RefundLimitRow>('RefundLimit').implement({
  description: 'From which amount a refund by a person needs a second person.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    amount: t.field({
      type: 'Amount',
      description: 'The smallest amount that needs a second person, in minor units of the currency.',
      ...asStored('amount'),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

const mode = { type: Mode, required: true, description: 'The mode of the payments.' } as const;

builder.queryField('refundLimits', (t) =>
  t.withAuth({ hub: true }).field({
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
    storedAnswer: storedWhole,
    resolve: (_root, args, context) => setRefundLimit(context, args),
  }),
);
