import { graphql } from '../graph/graphql.ts';
import { moneyText, percentText } from '../ui/format.ts';
import { textFilter, yesOrNo } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Funnels($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: FunnelFilters, $partnerSlug: Slug) {
    list: funnels(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items {
        id name isDefault version updatedAt
        account { id legalName }
        store { name }
        figures { sessions converted abandoned revenue { currency amount } }
      }
    }
  }
`);

export const Funnels = listPage({
  title: 'Funnels',
  about: 'Checkouts of merchants with their conversion.',
  right: 'directory',
  byPartner: true,
  document,
  columns: [
    { name: 'Name', cell: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name) },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Store', cell: ({ store }) => store?.name ?? '' },
    { name: 'Visits', right: true, cell: ({ figures }) => figures.sessions.toLocaleString() },
    { name: 'Converted', right: true, cell: ({ figures }) => figures.converted.toLocaleString() },
    {
      name: 'Conversion rate',
      right: true,
      cell: ({ figures }) => (figures.sessions === 0 ? '' : percentText(figures.converted / figures.sessions)),
    },
    { name: 'Abandoned', right: true, cell: ({ figures }) => figures.abandoned.toLocaleString() },
    {
      name: 'Revenue',
      right: true,
      cell: ({ figures }) => figures.revenue.map(({ amount, currency }) => moneyText(amount, currency)).join(', '),
    },
    { name: 'Version', spare: true, right: true, cell: ({ version }) => version },
    { name: 'Updated', spare: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ],
  filters: [textFilter('name', 'Name'), yesOrNo('isDefault', 'Default')],
  keyOf: ({ id }) => id,
  noun: 'funnels',
  comes: 'Funnels are created with an API key.',
});
