import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice, created, idFilter, objectFilter, yesOrNo } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink, CustomerLink } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { RecurringAmount, SubscriptionStatus } from './subscription-rows.tsx';

const document = graphql(`
  query Subscriptions(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: SubscriptionFilters, $sortBy: SubscriptionSort,
    $partnerSlug: Slug
  ) {
    list: subscriptions(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id amount currency status interval intervalCount nextBillingDate cancelAtPeriodEnd createdAt
        customer { id email }
        account { id legalName }
        price { product { name } }
      }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportSubscriptions($mode: Mode!, $filters: SubscriptionFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { subscriptions: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Subscriptions = listPage({
  title: 'Subscriptions',
  about: 'Recurring charges of customers.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Amount', right: true, cell: (row) => <RecurringAmount of={row} /> },
    { name: 'Product', spare: true, cell: ({ price }) => price?.product?.name },
    { name: 'Status', cell: (row) => <SubscriptionStatus of={row} /> },
    { name: 'Next charge', cell: ({ nextBillingDate }) => <Time at={nextBillingDate} far /> },
    { name: 'Customer', cell: ({ customer }) => <CustomerLink of={customer} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Created', spare: true, sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Action', cell: (row) => <SubscriptionActions subscription={row} /> },
  ],
  filters: [
    choice('status', 'Status', enums.SubscriptionStatusFilter),
    accountFilter,
    objectFilter('customerId', 'Customer', 'customer'),
    ...created,
    idFilter('priceId', 'Price', 'price_…'),
    yesOrNo('onTestClock', 'On a test clock'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/subscriptions/${id}`,
  noun: 'subscriptions',
  comes: 'Subscriptions are created with an API key.',
});
