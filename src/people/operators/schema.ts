import { AccountFilters, AccountPage, AccountSort, listAccountsWithin } from '../../domains/accounts/public.ts';
import {
  DisputeFilters,
  DisputePage,
  DisputeSort,
  disputeObject,
  listDisputesWithin,
} from '../../domains/disputes/public.ts';
import { FunnelFilters, FunnelPage, FunnelSort, listFunnelsWithin } from '../../domains/funnels/public.ts';
import { listKeysWithin } from '../../domains/keys/public.ts';
import { listPaymentsWithin, PaymentFilters, PaymentPage, PaymentSort } from '../../domains/payments/public.ts';
import {
  listSubscriptionsWithin,
  SubscriptionFilters,
  SubscriptionPage,
  SubscriptionSort,
} from '../../domains/subscriptions/public.ts';
import { builder } from '../../graph/builder.ts';
import { cursorArguments, pageArguments, pageComplexity } from '../../lists/inputs.ts';
import { mapPage } from '../../lists/read-list.ts';
import { listEvents, OperatorEventFilters, rowsVisible, sortByOverAll, visibilityArgs } from './inputs.ts';
import { OperatorKeyFilters, OperatorKeyPage } from './keys/schema.ts';
import { OperatorEventPage } from './types.ts';
import { operatorVisibility } from './visibility.ts';

const filters = 'Filters of the list.';
const sortBy = 'The order of the list.';

builder.queryFields((t) => ({
  operatorAccounts: t.withAuth({ directory: true }).field({
    type: AccountPage,
    description: `Lists processing accounts. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      sortBy: t.arg({ type: AccountSort, description: sortBy }),
      filters: t.arg({ type: AccountFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listAccountsWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorPayments: t.withAuth({ directory: true }).field({
    type: PaymentPage,
    description: `Lists payments. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...cursorArguments,
      sortBy: t.arg({ type: PaymentSort, description: sortByOverAll }),
      filters: t.arg({ type: PaymentFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listPaymentsWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorSubscriptions: t.withAuth({ directory: true }).field({
    type: SubscriptionPage,
    description: `Lists subscriptions. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      sortBy: t.arg({ type: SubscriptionSort, description: sortByOverAll }),
      filters: t.arg({ type: SubscriptionFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listSubscriptionsWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorDisputes: t.withAuth({ directory: true }).field({
    type: DisputePage,
    description: `Lists disputes. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      sortBy: t.arg({ type: DisputeSort, description: sortBy }),
      filters: t.arg({ type: DisputeFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      mapPage(
        await listDisputesWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
        disputeObject,
      ),
  }),
  operatorKeys: t.withAuth({ directory: true }).field({
    type: OperatorKeyPage,
    description: `Lists API keys of both kinds, without their secrets. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: OperatorKeyFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listKeysWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorFunnels: t.withAuth({ directory: true }).field({
    type: FunnelPage,
    description: `Lists funnels with their figures. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      sortBy: t.arg({ type: FunnelSort, description: sortByOverAll }),
      filters: t.arg({ type: FunnelFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listFunnelsWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorEvents: t.withAuth({ platformStaff: true }).field({
    type: OperatorEventPage,
    description: 'Lists the events of all partners, newest first. For internal staff.',
    args: {
      ...visibilityArgs,
      ...cursorArguments,
      filters: t.arg({ type: OperatorEventFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listEvents(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
}));
