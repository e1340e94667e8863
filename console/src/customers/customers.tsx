import { graphql } from '../graph/graphql.ts';
import { accountFilter, created, idFilter, objectFilter, textFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Customers(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: CustomerFilters, $sortBy: CustomerSort, $partnerSlug: Slug
  ) {
    list: customers(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id email firstName lastName phone paymentInstrumentCardLast4 createdAt account { id legalName } }
    }
  }
`);
const exportDocument = graphql(`
  mutation ExportCustomers($mode: Mode!, $filters: CustomerFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { customers: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Customers = listPage({
  title: 'Customers',
  about: 'Customers of all stores, newest first.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Email', cell: ({ email }) => email },
    { name: 'Name', cell: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') },
    { name: 'Phone', cell: ({ phone }) => phone ?? '' },
    {
      name: 'Card',
      cell: ({ paymentInstrumentCardLast4 }) => paymentInstrumentCardLast4 && `···· ${paymentInstrumentCardLast4}`,
    },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Created', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    textFilter('email', 'Email', 'is'),
    textFilter('lastName', 'Last name'),
    idFilter('phone', 'Phone', 'exact'),
    ...created,
    accountFilter,
    objectFilter('storeId', 'Store', 'store', true),
    idFilter('tags', 'Tag', 'exact', true),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/customers/${id}`,
  noun: 'customers',
  comes: 'Customers are created with an API key, by a stored card or on a checkout page.',
});
