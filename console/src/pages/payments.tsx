import { graphql } from '../graph/graphql.ts';
import { inWords } from '../parts/format.ts';
import { choice, createdSince, idFilter, textFilter } from '../parts/list-definition.ts';
import { listPage } from '../parts/list-page.tsx';
import { Money } from '../parts/money.tsx';
import { PaymentStatus } from '../parts/object-rows.tsx';
import { Time } from '../parts/time.tsx';

const document = graphql(`
  query Payments($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: PaymentFilters, $sortBy: PaymentSort, $partnerSlug: Slug) {
    list: operatorPayments(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id amount currency status subStatus failureCode createdAt
        customer { email }
        account { legalName }
        paymentInstrument { card { brand last4 } }
      }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportPayments($mode: Mode!, $filters: PaymentFilters, $partnerSlug: Slug) {
    begun: exportPayments(mode: $mode, filters: $filters, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Payments = listPage({
  title: 'Payments',
  about: 'Every charge, newest first. A link to this page contains its filters.',
  right: 'directory',
  byPartner: true,
  document,
  exportDocument,
  columns: [
    { name: 'Amount', sort: 'amount', cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
    { name: 'Status', cell: (row) => <PaymentStatus of={row} /> },
    { name: 'Reason', cell: ({ failureCode }) => failureCode && inWords(failureCode) },
    { name: 'Customer', cell: ({ customer }) => customer.email },
    {
      name: 'Card',
      cell: ({ paymentInstrument }) =>
        paymentInstrument && (
          <span className="figures">
            {paymentInstrument.card.brand} ···· {paymentInstrument.card.last4}
          </span>
        ),
    },
    { name: 'Account', cell: ({ account }) => account?.legalName ?? '' },
    { name: 'Created', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    choice('status', 'Status', ['succeeded', 'pending', 'declined', 'failed', 'refunded', 'partially_refunded']),
    textFilter('customerEmail', 'Customer e-mail', 'is'),
    textFilter('cardLast4', 'Last four digits', 'is'),
    idFilter('fingerprint', 'Card', 'fingerprint'),
    idFilter('customerId', 'Customer', 'cus_…'),
    idFilter('orderId', 'Order', 'ord_…'),
    idFilter('currency', 'Currency', 'USD', true),
    createdSince,
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/payments/${id}`,
  empty: 'No payment matches. Clear the filters, or look in the other mode.',
});
