import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Money } from '../ui/money.tsx';
import { AccountLink, CustomerLink } from '../ui/object-link.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query DeferredCharges(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: DeferredChargeFilters, $partnerSlug: Slug
  ) {
    list: deferredCharges(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id amount currency status reason dueAt subscriptionId
        account { id legalName }
        subscription { customer { id email } }
      }
    }
  }
`);

export const DeferredCharges = listPage({
  title: 'Deferred charges',
  about: 'Renewals deferred while the account or partner could not charge.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  columns: [
    { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Reason', cell: ({ reason }) => <Words of={reason} /> },
    { name: 'Due', cell: ({ dueAt }) => <Time at={dueAt} /> },
    { name: 'Customer', cell: ({ subscription }) => <CustomerLink of={subscription?.customer} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
  ],
  filters: [
    choice('status', 'Status', enums.DeferredChargeStatus),
    accountFilter,
    idFilter('subscriptionId', 'Subscription', 'sub_…'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ subscriptionId }) => `/subscriptions/${subscriptionId}`,
  noun: 'deferred charges',
  comes: 'A renewal that is due while its account cannot charge appears here.',
});
