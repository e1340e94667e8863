import {
  listWithheldChargesWithin,
  type WithheldReason,
  type WithheldStatus,
} from '../../domains/subscriptions/public.ts';
import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { DateFilter } from '../../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType } from '../../graph/pages.ts';
import { visibilityArgs } from './inputs.ts';
import { operatorVisibility } from './visibility.ts';

export const WithheldReasonEnum = builder.enumType('WithheldReason', {
  description: 'The status because of which a charge was withheld.',
  values: {
    partner_suspended: { description: 'The partner was suspended.' },
    partner_offboarded: { description: 'The partner was offboarded.' },
    account_suspended: { description: 'The account was suspended.' },
    account_closed: { description: 'The account was closed.' },
    account_not_approved: { description: 'The account waited for an operator.' },
  } as const satisfies Record<WithheldReason, object>,
});

const WithheldStatusEnum = builder.enumType('WithheldChargeStatus', {
  description: 'What became of a withheld charge.',
  values: {
    withheld: { description: 'It is withheld.' },
    charged: {
      description: 'It was charged when the account could charge again, whatever the outcome of the payment.',
    },
    skipped: { description: 'Its period was over when the account could charge again. It is never charged.' },
    canceled: { description: 'The subscription was canceled.' },
  } as const satisfies Record<WithheldStatus, object>,
});

const WithheldCharge = builder.prismaObject('WithheldCharge', {
  description: 'A charge of a subscription that was not made because of the status of its account or partner.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, prefix `wch_`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    subscriptionId: t.exposeID('subscriptionId', {
      description: 'Identifier of the subscription, prefix `sub_`.',
    }),
    amount: t.expose('amount', {
      type: 'AmountOrZero',
      description: 'The amount in minor units of the currency. 0 if a credit covers it.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    dueAt: t.expose('dueAt', { type: 'DateTime', description: 'Time at which the charge was due.' }),
    // CHECK constraints limit both columns to the enums
    reason: t.field({
      type: WithheldReasonEnum,
      description: 'Why it was withheld.',
      ...asStored('reason'),
    }),
    status: t.field({
      type: WithheldStatusEnum,
      description: 'What became of it.',
      ...asStored('status'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was withheld.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the status.' }),
  }),
});

const WithheldChargePage = pageType('WithheldChargePage', WithheldCharge, 'withheld charges');

const WithheldChargeFilters = builder.inputType('WithheldChargeFilters', {
  description: 'Filters of a list of withheld charges. A charge must match every given filter.',
  fields: (t) => ({
    status: t.field({ type: [WithheldStatusEnum], description: 'Only charges with one of these statuses.' }),
    reason: t.field({ type: [WithheldReasonEnum], description: 'Only charges withheld for one of these reasons.' }),
    platformAccountId: t.id({ description: 'Only charges of this account.' }),
    subscriptionId: t.id({ description: 'Only charges of this subscription.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only charges withheld at this time.' }),
  }),
});

builder.queryField('operatorWithheldCharges', (t) =>
  t.withAuth({ directory: true }).field({
    type: WithheldChargePage,
    description:
      'Lists the charges of subscriptions that were not made because of the status of their account or partner, ' +
      'newest first. Internal staff see all partners. Admins and account managers of a partner see their own partner.',
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: WithheldChargeFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listWithheldChargesWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
);
