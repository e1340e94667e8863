import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { shortCardText } from '../ui/card-and-address.tsx';
import {
  accountFilter,
  amountFilter,
  choice,
  created,
  defineList,
  idFilter,
  objectFilter,
  textFilter,
  yesOrNo,
} from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Money } from '../ui/money.tsx';
import { AccountLink, CustomerLink } from '../ui/object-link.tsx';
import { Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { PaymentStatus } from './payment-rows.tsx';

const document = graphql(`
  query Payments($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: PaymentFilters, $sortBy: PaymentSort, $partnerSlug: Slug) {
    list: payments(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id amount currency status subStatus failureCode createdAt
        customer { id email }
        account { id legalName }
        paymentInstrument { card { brand last4 } }
      }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportPayments($mode: Mode!, $filters: PaymentFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { payments: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const paymentList = defineList({
  title: 'Payments',
  about: 'All payments, newest first. The URL includes the filters.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    {
      name: 'Amount',
      right: true,
      sort: 'amount',
      sortNeeds: ['currency', 'partner'],
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    { name: 'Status', cell: (row) => <PaymentStatus of={row} /> },
    { name: 'Reason', cell: ({ failureCode }) => <Words of={failureCode} /> },
    { name: 'Customer', cell: ({ customer }) => <CustomerLink of={customer} /> },
    {
      name: 'Card',
      spare: true,
      cell: ({ paymentInstrument }) =>
        paymentInstrument && <span className="figures">{shortCardText(paymentInstrument.card)}</span>,
    },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Created', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    choice('status', 'Status', enums.PaymentStatusFilter),
    accountFilter,
    textFilter('customerEmail', 'Customer email', 'is'),
    choice('failureCode', 'Reason', enums.FailureCode),
    textFilter('cardLast4', 'Last four digits', 'is'),
    ...created,
    amountFilter,
    idFilter('currency', 'Currency', 'USD', true),
    objectFilter('storeId', 'Store', 'store', true),
    objectFilter('customerId', 'Customer', 'customer'),
    idFilter('orderId', 'Order', 'ord_…'),
    idFilter('subscriptionId', 'Subscription', 'sub_…'),
    idFilter('fingerprint', 'Card', 'fingerprint'),
    objectFilter('processorId', 'Processor', 'processor', true),
    idFilter('processorReference', 'Processor reference', 'exact'),
    yesOrNo('isProcessing', 'Outcome unknown'),
    yesOrNo('onTestClock', 'On a test clock'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/payments/${id}`,
  noun: 'payments',
  comes: 'Charges by API keys, subscriptions and funnels appear here.',
});

export const Payments = listPage(paymentList);
