import { peopleVisibility } from '../auth/visibility.ts';
import {
  type DeferredReason,
  type DeferredStatus,
  listDeferredChargesWithin,
  Subscription,
  type UpcomingCharge,
  upcomingChargeOf,
} from '../domains/subscriptions/public.ts';
import { builder } from '../graph/builder.ts';
import { storedColumn } from '../graph/shared-types.ts';
import { DateFilter, pageArguments, pageComplexity, pageType, visibilityArgs } from '../lists/inputs.ts';

const DeferredReasonEnum = builder.enumType('DeferredReason', {
  description: 'The status because of which a charge was deferred.',
  values: {
    partner_suspended: { description: 'The partner was suspended.' },
    partner_offboarded: { description: 'The partner was offboarded.' },
    account_suspended: { description: 'The account was suspended.' },
    account_closed: { description: 'The account was closed.' },
    account_not_approved: { description: 'The account waited for an operator.' },
  } as const satisfies Record<DeferredReason, object>,
});

const DeferredStatusEnum = builder.enumType('DeferredChargeStatus', {
  description: 'The status of a deferred charge.',
  values: {
    deferred: { description: 'It is deferred.' },
    charged: {
      description: 'It was charged when the account could charge again, whatever the outcome of the payment.',
    },
    skipped: { description: 'Its period was over when the account could charge again. It is never charged.' },
    canceled: { description: 'The subscription was canceled.' },
  } as const satisfies Record<DeferredStatus, object>,
});

export const DeferredCharge = builder.prismaObject('DeferredCharge', {
  description: 'A charge of a subscription that was not made because of the status of its account or partner.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, prefix `dch_`.' }),
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
      type: DeferredReasonEnum,
      description: 'Why it was deferred.',
      ...storedColumn('reason'),
    }),
    status: t.field({
      type: DeferredStatusEnum,
      description: 'The status.',
      ...storedColumn('status'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was deferred.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the status.' }),
  }),
});

const DeferredChargePage = pageType('DeferredChargePage', DeferredCharge, 'deferred charges');

const DeferredChargeFilters = builder.inputType('DeferredChargeFilters', {
  description: 'Filters of a list of deferred charges. A charge must match every given filter.',
  fields: (t) => ({
    status: t.field({ type: [DeferredStatusEnum], description: 'Only charges with one of these statuses.' }),
    reason: t.field({ type: [DeferredReasonEnum], description: 'Only charges deferred for one of these reasons.' }),
    platformAccountId: t.id({ description: 'Only charges of this account.' }),
    subscriptionId: t.id({ description: 'Only charges of this subscription.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only charges deferred at this time.' }),
  }),
});

builder.queryField('deferredCharges', (t) =>
  t.withAuth({ directory: true }).field({
    type: DeferredChargePage,
    description:
      'Lists the charges of subscriptions that were not made because of the status of their account or partner, ' +
      'newest first. Internal staff see all partners. Admins and account managers of a partner see their own partner.',
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: DeferredChargeFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listDeferredChargesWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
);

const UpcomingChargeRef = builder.objectRef<UpcomingCharge>('UpcomingCharge').implement({
  description: 'The next charge of a subscription, as it would be made if nothing changed until then.',
  fields: (t) => ({
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      description: 'Time at which it is due, by the test clock if it has one.',
    }),
    amount: t.expose('amount', {
      type: 'AmountOrZero',
      description:
        'The amount in minor units of the currency, with what is carried over and a change of price that is scheduled ' +
        'for it. 0 if a credit covers it: then no payment is made.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    isRetry: t.exposeBoolean('isRetry', { description: 'Whether it repeats a charge that was declined.' }),
    deferredReason: t.field({
      type: DeferredReasonEnum,
      nullable: true,
      description:
        'Why it would not be made as account and partner are now. Null if it would. It is made when they may charge ' +
        'again.',
      resolve: ({ deferredReason }) => deferredReason,
    }),
  }),
});

builder.objectField(Subscription, 'upcomingCharge', (t) =>
  t.field({
    type: UpcomingChargeRef,
    nullable: true,
    authScopes: { directory: true },
    description:
      'The next charge. Null if none is scheduled: the subscription is paused, incomplete or canceled, or ends with its ' +
      'period. For people.',
    // Three statements for each subscription.
    complexity: 200,
    resolve: (subscription, _args, { services }) => upcomingChargeOf(services, subscription),
  }),
);
