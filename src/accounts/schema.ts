import { modes } from '../kit/mode.ts';
import { planNames } from '../auth/rate-limit.ts';
import { builder } from '../graph/builder.ts';
import { DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { paymentsOfAccount } from '../payments/operations.ts';
import { Payment } from '../payments/types.ts';
import { storesOfAccount } from '../stores/names.ts';
import { Store } from '../stores/types.ts';
import { accountStatuses, kybStatuses } from './lifecycle.ts';
import { type AccountRow, createAccount, listAccounts, readAccount, updateAccount } from './operations.ts';

export const Mode = builder.enumType('Mode', {
  description: 'Test moves no real money; live does. Nothing crosses from one to the other.',
  values: modes,
});

const AccountStatus = builder.enumType('AccountStatus', {
  description:
    'Whether an account can charge. Test accounts are active at once; live ones when an operator has approved their KYB. `suspended` can be lifted, `closed` is for good. What is not `active` takes no money: charges and captures are 403 `account_not_active`. Voids and refunds stay open, a 3DS challenge under way may be finished, and disputes are kept as they come.',
  values: accountStatuses,
});
export const KybStatus = builder.enumType('KybStatus', {
  description: 'How far the verification of the business (KYB) has come.',
  values: kybStatuses,
});
export const Plan = builder.enumType('Plan', {
  description: 'The rate limit: standard 100 requests a minute, burst 150; premium 500, burst 750.',
  values: planNames,
});

export const Account = builder.prismaObject('ProcessingAccount', {
  name: 'Account',
  description: 'A processing account (TPA): one merchant of a partner, in one mode.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `tpa_`.' }),
    accountId: t.exposeString('accountId', { description: "The organization's identifier, prefix `acc_`." }),
    partnerId: t.exposeString('partnerId', { description: 'The partner that provisioned it, prefix `par_`.' }),
    legalName: t.exposeString('legalName', { description: "The merchant's legal name." }),
    country: t.expose('country', {
      type: 'Country',
      nullable: true,
      description: 'Where the merchant is established.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'Its base currency.' }),
    externalRef: t.exposeString('externalRef', {
      nullable: true,
      description: "The partner's own name for it, unique for a partner and mode.",
    }),
    status: t.field({
      type: AccountStatus,
      description: 'Whether it can charge.',
      resolve: (account) => account.status as never,
    }), // a CHECK constraint holds the column to the enum
    kybStatus: t.field({
      type: KybStatus,
      description: 'How far KYB has come.',
      resolve: (account) => account.kybStatus as never,
    }), // as above
    plan: t.field({
      type: Plan,
      description: 'Its rate limit, set by an operator.',
      resolve: (account) => account.plan as never,
    }), // as above
    livemode: t.boolean({ description: 'False in test mode.', resolve: (account) => account.mode === 'live' }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    stores: t.field({
      type: [Store],
      description: 'Its stores, the oldest first; at least one.',
      resolve: (account: AccountRow, _args, context) => account.stores ?? storesOfAccount(context, account.id),
    }),
    payments: t.field({
      type: [Payment],
      description: 'Its latest payments, the newest first.',
      args: {
        first: t.arg({ type: 'PageSize', defaultValue: 10, required: true, description: 'How many, 1 to 100.' }),
      },
      complexity: ({ first }) => ({ field: 1, multiplier: first }),
      resolve: (account, { first }, context) => paymentsOfAccount(context, account.id, first),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

export const AccountPage = pageType('AccountPage', Account, 'accounts');
export const AccountSort = sortInput('AccountSort', ['createdAt', 'legalName']);

export const AccountFilters = builder.inputType('AccountFilters', {
  description: 'Which accounts. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [AccountStatus], description: 'Any of these statuses.' }),
    kybStatus: t.field({ type: [KybStatus], description: 'Any of these KYB statuses.' }),
    country: t.field({ type: ['Country'], description: 'Any of these countries.' }),
    externalRef: t.field({ type: 'Name', description: "The partner's own name, exactly." }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
    legalName: t.field({ type: TextFilter, description: "The merchant's legal name." }),
  }),
});

export const CreateAccountInput = builder.inputType('CreateAccountInput', {
  description: 'A merchant to provision.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', required: true, description: "The merchant's legal name." }),
    country: t.field({ type: 'Country', description: 'Where the merchant is established.' }),
    currency: t.field({
      type: 'Currency',
      description: 'Base currency of the account and its first store; USD when left out.',
    }),
    externalRef: t.field({
      type: 'Name',
      description: 'Your own name for it. A second call with the same one gives the same account, unchanged.',
    }),
    mode: t.field({
      type: Mode,
      description: "The key's own mode, or left out; the other one is refused with 403 `mode_escalation_forbidden`.",
    }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

export const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'What to change. What is left out stays.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', description: "The merchant's legal name." }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes; replaces all of them.' }),
  }),
});

builder.queryFields((t) => ({
  account: t.withAuth({ key: true }).field({
    type: Account,
    description: 'One processing account. 404 when it is not within the reach of the key.',
    args: { accountId: t.arg.string({ required: true, description: 'Identifier, prefix `tpa_`.' }) },
    resolve: (_root, { accountId }, context) => readAccount(context, accountId),
  }),
  accounts: t.withAuth({ partnerKey: true }).field({
    type: AccountPage,
    description: "The partner's accounts of the key's mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: AccountSort, description: 'The order.' }),
      filters: t.arg({ type: AccountFilters, description: 'Which accounts.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listAccounts(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createAccount: t.withAuth({ partnerKey: true }).field({
    type: Account,
    description:
      'Provisions a processing account with its first store, in the mode of the key. The same `externalRef` again gives the same account, unchanged.',
    args: { input: t.arg({ type: CreateAccountInput, required: true, description: 'The merchant.' }) },
    resolve: (_root, { input }, context) => createAccount(context, input),
  }),
  updateAccount: t.withAuth({ partnerKey: true }).field({
    type: Account,
    description: "Changes what is named and leaves the rest. 404 when the account is not the partner's.",
    args: {
      accountId: t.arg.string({ required: true, description: 'Identifier, prefix `tpa_`.' }),
      input: t.arg({ type: UpdateAccountInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { accountId, input }, context) => updateAccount(context, accountId, input),
  }),
}));
