import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice, created, idFilter, objectFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Money } from '../ui/money.tsx';
import { AccountLink, CustomerLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Orders(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: OrderFilters, $sortBy: OrderSort, $partnerSlug: Slug
  ) {
    list: orders(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id amount currency status createdAt customer { id email } account { id legalName } }
    }
  }
`);
const exportDocument = graphql(`
  mutation ExportOrders($mode: Mode!, $filters: OrderFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { orders: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Orders = listPage({
  title: 'Orders',
  about: 'Orders, newest first. The status of an order follows its payments.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Customer', cell: ({ customer }) => <CustomerLink of={customer} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Created', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    choice('status', 'Status', enums.OrderStatus),
    accountFilter,
    ...created,
    objectFilter('customerId', 'Customer', 'customer'),
    idFilter('currency', 'Currency', 'USD', true),
    objectFilter('storeId', 'Store', 'store', true),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/orders/${id}`,
  noun: 'orders',
  comes: 'Orders of the API and of funnels appear here.',
});
