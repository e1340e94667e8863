import { graphql } from '../graph/graphql.ts';
import { cardText } from '../ui/card-and-address.tsx';
import { PathLink } from '../ui/detail-page.tsx';
import { accountFilter, idFilter, objectFilter, yesOrNo } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink, CustomerLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Cards(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: PaymentInstrumentFilters, $partnerSlug: Slug
  ) {
    list: paymentInstruments(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id isActive isDefault createdAt customerId
        card { fingerprint brand last4 expMonth expYear funding }
        customer { id email }
        account { id legalName }
      }
    }
  }
`);

export const Cards = listPage({
  title: 'Cards',
  about: 'Stored cards, newest first. One card number has one fingerprint.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  columns: [
    { name: 'Card', cell: ({ card }) => cardText(card) },
    {
      name: 'Status',
      cell: ({ isActive, isDefault }) => (
        <Status
          of={isActive ? 'active' : 'canceled'}
          detail={isActive ? (isDefault ? 'default' : 'active') : 'deleted'}
        />
      ),
    },
    {
      name: 'Payments',
      cell: ({ card }) => (
        <PathLink path="/payments" search={{ fingerprint: card.fingerprint }}>
          show
        </PathLink>
      ),
    },
    { name: 'Customer', cell: ({ customer }) => <CustomerLink of={customer} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    idFilter('fingerprint', 'Card', 'fingerprint'),
    yesOrNo('isActive', 'Active'),
    accountFilter,
    objectFilter('customerId', 'Customer', 'customer'),
    objectFilter('storeId', 'Store', 'store', true),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ customerId }) => `/customers/${customerId}`,
  noun: 'cards',
  comes: 'A card appears here when it is stored with a customer.',
});
