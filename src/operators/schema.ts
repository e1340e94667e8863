import { Account, AccountFilters, AccountPage, AccountSort, Mode, Plan } from '../accounts/schema.ts';
import { listAccountsWithin } from '../accounts/operations.ts';
import type { Event } from '../generated/prisma/client.ts';
import { listFunnelsWithin } from '../funnels/operations.ts';
import { FunnelFilters, FunnelPage, FunnelSort } from '../funnels/schema.ts';
import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageArguments, pageComplexity, pageType } from '../graph/pages.ts';
import { listDisputesWithin } from '../disputes/operations.ts';
import { DisputeFilters, DisputePage, DisputeSort } from '../disputes/schema.ts';
import { listKeysWithin } from '../keys/operations.ts';
import { listPaymentsWithin } from '../payments/operations.ts';
import { PaymentFilters, PaymentPage, PaymentSort } from '../payments/schema.ts';
import { listSubscriptionsWithin } from '../subscriptions/operations.ts';
import { SubscriptionFilters, SubscriptionPage, SubscriptionSort } from '../subscriptions/schema.ts';
import { activateAccount, closeAccount, setAccountPlan, suspendAccount } from './accounts.ts';
import { listEvents } from './events.ts';
import { OperatorKeyFilters, OperatorKeyPage } from './keys-schema.ts';
import { operatorReach } from './reach.ts';

export const OperatorEvent = builder.objectRef<Event>('OperatorEvent').implement({
  description: 'A state change, as operators see it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `evt_`.' }),
    type: t.exposeString('type', { description: 'What happened, such as `payment/succeeded`.' }),
    partnerId: t.exposeString('partnerId', { description: 'The partner.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The account.' }),
    storeId: t.exposeString('storeId', { nullable: true, description: 'The store.' }),
    objectId: t.exposeString('objectId', { description: 'What it happened to.' }),
    sequence: t.exposeInt('sequence', { description: "The object's own count of its events." }),
    requestId: t.exposeString('requestId', { description: 'The `Request-Id` of the call.' }),
    data: t.field({ type: 'JSONObject', description: 'The object then.', resolve: ({ data }) => data }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

const OperatorEventPage = pageType('OperatorEventPage', OperatorEvent, 'events');

export const OperatorEventFilters = builder.inputType('OperatorEventFilters', {
  description: 'Which events. All that are given must hold.',
  fields: (t) => ({
    type: t.stringList({ description: 'Any of these types.' }),
    objectId: t.string({ description: 'Of this object.' }),
    platformAccountId: t.string({ description: 'Of this account.' }),
    createdAt: t.field({ type: DateFilter, description: 'When.' }),
  }),
});

/** Which mode, and whose. */
export const within = builder.args((t) => ({
  mode: t.field({ type: Mode, required: true, description: 'Test or live.' }),
  partnerSlug: t.field({
    type: 'Slug',
    description:
      "Of this partner only. A partner's own people see their partner's in any case, and another one is 403.",
  }),
}));

builder.queryFields((t) => ({
  operatorAccounts: t.withAuth({ directory: true }).field({
    type: AccountPage,
    description:
      "Processing accounts: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: {
      ...within,
      ...pageArguments,
      sortBy: t.arg({ type: AccountSort, description: 'The order.' }),
      filters: t.arg({ type: AccountFilters, description: 'Which accounts.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listAccountsWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorPayments: t.withAuth({ directory: true }).field({
    type: PaymentPage,
    description: "Payments: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: {
      ...within,
      ...cursorArguments,
      sortBy: t.arg({ type: PaymentSort, description: 'The order. Over all partners by `createdAt` alone.' }),
      filters: t.arg({ type: PaymentFilters, description: 'Which payments.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listPaymentsWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorSubscriptions: t.withAuth({ directory: true }).field({
    type: SubscriptionPage,
    description:
      "Subscriptions: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: {
      ...within,
      ...pageArguments,
      sortBy: t.arg({ type: SubscriptionSort, description: 'The order. Over all partners by `createdAt` alone.' }),
      filters: t.arg({ type: SubscriptionFilters, description: 'Which subscriptions.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listSubscriptionsWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorDisputes: t.withAuth({ directory: true }).field({
    type: DisputePage,
    description: "Disputes: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: {
      ...within,
      ...pageArguments,
      sortBy: t.arg({ type: DisputeSort, description: 'The order.' }),
      filters: t.arg({ type: DisputeFilters, description: 'Which disputes.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listDisputesWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorKeys: t.withAuth({ directory: true }).field({
    type: OperatorKeyPage,
    description:
      "API keys of both kinds, never their secrets: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: { ...within, ...pageArguments, filters: t.arg({ type: OperatorKeyFilters, description: 'Which keys.' }) },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listKeysWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorFunnels: t.withAuth({ directory: true }).field({
    type: FunnelPage,
    description:
      "Funnels with their figures: all partners' for internal staff, their own partner's for its admins and account managers.",
    args: {
      ...within,
      ...pageArguments,
      sortBy: t.arg({ type: FunnelSort, description: 'The order. Over all partners by `createdAt` alone.' }),
      filters: t.arg({ type: FunnelFilters, description: 'Which funnels.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listFunnelsWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
  operatorEvents: t.withAuth({ platformStaff: true }).field({
    type: OperatorEventPage,
    description: "All partners' events, for internal staff.",
    args: {
      ...within,
      ...cursorArguments,
      filters: t.arg({ type: OperatorEventFilters, description: 'Which events.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listEvents(context, await operatorReach(context, mode, partnerSlug), args),
  }),
}));

const accountId = { required: true, description: 'The account, prefix `tpa_`.' } as const;

builder.mutationFields((t) => ({
  activateAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description: 'Lets an account charge, whatever its KYB says: `approveKyb` does it by itself. 409 for a closed one.',
    args: { accountId: t.arg.string(accountId) },
    resolve: (_root, args, context) => activateAccount(context, args.accountId),
  }),
  suspendAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description: 'Stops an account from charging; refunds go on. 409 for one that is closed or not active yet.',
    args: {
      accountId: t.arg.string(accountId),
      reason: t.arg({ type: 'Name', description: 'Why, for the audit log.' }),
    },
    resolve: (_root, args, context) => suspendAccount(context, args.accountId, args.reason ?? null),
  }),
  closeAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description:
      'Closes an account for good: it never charges again, and nothing about it is reviewed or set any more; refunds go on. Again: unchanged.',
    args: {
      accountId: t.arg.string(accountId),
      reason: t.arg({ type: 'Name', required: true, description: 'Why, for the audit log.' }),
    },
    resolve: (_root, args, context) => closeAccount(context, args.accountId, args.reason),
  }),
  setAccountPlan: t.withAuth({ hub: true }).field({
    type: Account,
    description: "Sets an account's rate limit, from its next call on. 409 for a closed one.",
    args: { accountId: t.arg.string(accountId), plan: t.arg({ type: Plan, required: true, description: 'The plan.' }) },
    resolve: (_root, args, context) => setAccountPlan(context, args.accountId, args.plan),
  }),
}));
