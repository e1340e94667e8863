import type { Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { date, is, isSet, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { SubscriptionFilters } from './inputs.ts';
import type { SubscriptionRow } from './types.ts';

type Filters = typeof SubscriptionFilters.$inferInput;

export const subscriptionList: ListDefinition<Filters> = {
  table: 'subscriptions',
  sorts: { createdAt: 'createdAt', nextBillingDate: 'nextBillingDate', status: 'status' },
  filters: {
    status: oneOf('status'),
    customerId: is('customerId'),
    priceId: is('priceId'),
    storeId: oneOf('storeId'),
    platformAccountId: is('platformAccountId'),
    createdAt: date('createdAt'),
    onTestClock: isSet('testClockId'),
  },
  counted: true,
};

export function listSubscriptions(context: KeyContext, args: ListArguments<Filters>): Promise<Page<SubscriptionRow>> {
  return listSubscriptionsWithin(context, context.caller, args);
}

/** The same list for a caller without an API key. */
export function listSubscriptionsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<SubscriptionRow>> {
  return readList(services.pool, visibility, subscriptionList, args);
}
