import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { choice, created, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { RefundLimits } from './refund-limits.tsx';
import { decisions, RequestRow, requestColumns } from './refund-request-rows.tsx';

const document = graphql(
  `
  query RefundRequests(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: RefundRequestFilters, $partnerSlug: Slug
  ) {
    list: refundRequests(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { ...RequestRow }
    }
  }
`,
  [RequestRow],
);

export const RefundRequests = listPage({
  title: 'Refund approvals',
  about: 'Refunds that need a second approver. Requests expire after 72 hours.',
  right: 'directory',
  byPartner: true,
  document,
  actions: () => <RefundLimits />,
  columns: requestColumns,
  bulk: decisions,
  filters: [
    choice('status', 'Status', enums.RefundRequestStatus),
    idFilter('paymentId', 'Payment', 'pay_…'),
    ...created,
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ paymentId }) => `/payments/${paymentId}`,
  noun: 'requests',
  comes: 'A refund that needs a second approver appears here.',
});
