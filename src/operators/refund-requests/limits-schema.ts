import { visiblePartnerId } from '../../auth/visibility.ts';
import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { Mode } from '../../graph/shared-types.ts';
import { type RefundLimitRow, readLimits, setRefundLimit, shownAmount } from './limits.ts';

const RefundLimit = builder.objectRef<RefundLimitRow>('RefundLimit').implement({
  description: 'From which amount a refund by a person needs a second person.',
  fields: (t) => ({
    partnerSlug: t.expose('partnerSlug', {
      type: 'Slug',
      nullable: true,
      description: 'The partner whose payments it is for. Null for those of all partners without a limit of their own.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description:
        'The smallest amount that needs a second person now, in minor units of the currency. Null if there is none; ' +
        'of a partner, if that of all partners applies.',
      resolve: (limit, _args, { services }) => shownAmount(limit, services.clock.earliestReal()),
    }),
    nextAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The amount from `effectiveAt` on. Null if there is none, or no change waits.',
      resolve: ({ amount }) => amount,
    }),
    effectiveAt: t.expose('effectiveAt', {
      type: 'DateTime',
      description: 'Time from which `nextAmount` is in force: 24 hours after a raise, and at once after a reduction.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

const mode = { type: Mode, required: true, description: 'The mode of the payments.' } as const;

builder.queryField('refundLimits', (t) =>
  t.withAuth({ directory: true }).field({
    type: [RefundLimit],
    description:
      'Lists from which amounts refunds by people need a second person, by currency. Empty without a limit. Users of ' +
      'a partner see those for all partners and their own.',
    args: { mode: t.arg(mode) },
    resolve: async (_root, args, context) =>
      readLimits(context.services.prisma, args.mode, await visiblePartnerId(context)),
  }),
);

builder.mutationField('setRefundLimit', (t) =>
  t.withAuth({ superadmin: true }).field({
    type: [RefundLimit],
    description:
      'Sets the amount from which a refund by a person requires a second approver. A lower amount is in force at ' +
      'once, a higher one, or none, after 24 hours. What people have refunded of the payment before counts. ' +
      'Refunds by API keys are not concerned. Requests that wait stay. Returns all limits of the mode. The change ' +
      'is recorded in the audit log.',
    args: {
      mode: t.arg(mode),
      currency: t.arg({ type: 'Currency', required: true, description: 'The ISO 4217 code of the currency.' }),
      partnerSlug: t.arg({
        type: 'Slug',
        description:
          'The partner for whose payments it is, instead of the limit of all partners. Default: all partners. 404 if ' +
          'there is none.',
      }),
      amount: t.arg({
        type: 'Amount',
        description: 'The amount in minor units of the currency, from 1. Null, or left out: no limit.',
      }),
      reason: t.arg(reason),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setRefundLimit(context, args),
  }),
);
