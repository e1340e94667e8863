import { type Plan as PlanName, plans } from '../../auth/buckets.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { Store, storesOfAccount } from '../stores/public.ts';
import type { AccountRow, AccountStatus as AccountStatusName, KybStatus } from './account-rows.ts';

export const AccountStatus = builder.enumType('AccountStatus', {
  description:
    'Whether an account can charge. Unless it is `active`, charges and captures are refused with 403 ' +
    '`account_not_active`, and neither jobs nor pages charge for it. Voids and refunds remain possible, a 3DS challenge ' +
    'in progress can be completed, and disputes are recorded.',
  values: {
    pending_operator_assignment: { description: 'A live account whose KYB has not been approved by an operator yet.' },
    active: { description: 'The account can charge. Test accounts have this status from creation.' },
    suspended: { description: 'The account cannot charge until an operator lifts the suspension.' },
    closed: { description: 'The account is closed permanently.' },
  } as const satisfies Record<AccountStatusName, object>,
});

export const KybStatusEnum = builder.enumType('KybStatus', {
  description: 'The state of the verification of a business (KYB).',
  values: {
    not_started: { description: 'Nothing has been submitted.' },
    in_progress: { description: 'Some items have been submitted and required ones are still missing.' },
    submitted: { description: 'All required items have been submitted and await review.' },
    approved: { description: 'A reviewer approved the KYB. Final.' },
    rejected: { description: 'At least one item was rejected and can be submitted again.' },
  } as const satisfies Record<KybStatus, object>,
});

const planDescription = (name: PlanName): string =>
  `${plans[name].rate} requests per minute, with bursts of up to ${plans[name].burst}.`;

export const Plan = builder.enumType('Plan', {
  description: 'The rate limit of an account.',
  values: {
    standard: { description: planDescription('standard') },
    premium: { description: planDescription('premium') },
  } as const satisfies Record<PlanName, object>,
});

export const Account = builder.prismaObject('ProcessingAccount', {
  name: 'Account',
  description: 'A processing account (TPA): one merchant of a partner, in one mode.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the account, prefix `tpa_`.' }),
    organizationAccountId: t.exposeID('accountId', {
      description: 'Identifier of the organization that the account belongs to, prefix `acc_`.',
    }),
    partnerId: t.exposeID('partnerId', {
      description: 'Identifier of the partner that provisioned the account, prefix `par_`.',
    }),
    legalName: t.exposeString('legalName', { description: "The merchant's legal name." }),
    country: t.expose('country', {
      type: 'Country',
      nullable: true,
      description: 'The country in which the merchant is established. Null if it was not given.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The base currency of the account.' }),
    externalRef: t.exposeString('externalRef', {
      nullable: true,
      description: "The partner's own reference of the account, unique per partner and mode. Null if none was given.",
    }),
    status: t.field({
      type: AccountStatus,
      description: 'Whether the account can charge.',
      ...storedColumn('status'),
    }),
    kybStatus: t.field({
      type: KybStatusEnum,
      description: 'The state of the verification of the business.',
      ...storedColumn('kybStatus'),
    }),
    plan: t.field({
      type: Plan,
      description: 'The rate limit of the account. An operator sets it.',
      ...storedColumn('plan'),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (account) => account.mode === 'live',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value data that the client has stored.' }),
    stores: t.field({
      type: [Store],
      description: 'The stores of the account, oldest first. There is at least one.',
      resolve: (account: AccountRow, _args, context) => account.stores ?? storesOfAccount(context, account.id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the account was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the account.' }),
  }),
});
