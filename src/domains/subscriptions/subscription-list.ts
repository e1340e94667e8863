import type { PeopleVisibility } from '../../auth/tenancy.ts';
import type { Context } from '../../call/context.ts';
import type { DeferredCharge } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { date, is, oneOf } from '../../lists/filters.ts';
import type { DateFilterValue } from '../../lists/inputs.ts';
import { anyOf, dates, flag, id, ids, listOf } from '../../lists/list-of.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { Subscription, type SubscriptionRow, statusValues } from './types.ts';

const SubscriptionStatusFilter = builder.enumType('SubscriptionStatusFilter', {
  description: 'A status of a subscription to filter by.',
  values: statusValues,
});

export const subscriptions = listOf('Subscription', Subscription, (row: SubscriptionRow) => row, {
  of: 'subscriptions',
  table: 'subscriptions',
  sorts: { createdAt: 'createdAt', nextBillingDate: 'nextBillingDate', status: 'status' },
  aboutFilters:
    'Filters for a list of subscriptions. A subscription is returned only if it matches every filter given.',
  filters: {
    status: anyOf(SubscriptionStatusFilter, 'Returns subscriptions with any of these statuses.'),
    customerId: id('Returns subscriptions of this customer, prefix `cus_`.'),
    priceId: id('Returns subscriptions to this price, prefix `price_`.'),
    storeId: ids('Returns subscriptions of any of these stores, prefix `store_`.'),
    platformAccountId: id('Returns subscriptions of this processing account, prefix `tpa_`.'),
    createdAt: dates('Compares the time at which the subscription was created.'),
    onTestClock: flag('True for subscriptions of customers on a test clock, false for the others.', {
      column: 'testClockId',
    }),
  },
  counted: true,
  forPeople: true,
});
interface DeferredFilters {
  status?: readonly string[] | null | undefined;
  reason?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
  subscriptionId?: string | null | undefined;
  createdAt?: DateFilterValue | null | undefined;
}

const deferredChargeList: ListDefinition<DeferredFilters> = {
  table: 'deferred_charges',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    reason: oneOf('reason'),
    platformAccountId: is('platformAccountId'),
    subscriptionId: is('subscriptionId'),
    createdAt: date('createdAt'),
  },
};

/** The charges that fell due while their account might not charge, newest first. */
export function listDeferredChargesWithin(
  { services }: Pick<Context, 'services'>,
  visibility: PeopleVisibility,
  args: ListArguments<DeferredFilters>,
): Promise<Page<DeferredCharge>> {
  return readList(services.pool, visibility, deferredChargeList, args);
}
