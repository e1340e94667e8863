import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice, created, days, idFilter, objectFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { Money } from '../ui/money.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Disputes(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: DisputeFilters, $sortBy: DisputeSort, $partnerSlug: Slug
  ) {
    list: disputes(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, sortBy: $sortBy, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id amount currency status reason evidenceDueAt createdAt paymentId account { id legalName } }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportDisputes($mode: Mode!, $filters: DisputeFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { disputes: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Disputes = listPage({
  title: 'Disputes',
  about: 'Payments contested by cardholders. Without evidence by the deadline, a dispute is lost.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Evidence due', sort: 'evidenceDueAt', cell: ({ evidenceDueAt }) => <Time at={evidenceDueAt} far /> },
    { name: 'Reason', cell: ({ reason }) => <Words of={reason} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Opened', sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    choice('status', 'Status', enums.DisputeStatus),
    choice('reason', 'Reason', enums.DisputeReason),
    ...days('evidenceDueAt', 'Due', { from: 'dueSince', to: 'dueUntil' }),
    accountFilter,
    ...created,
    idFilter('paymentId', 'Payment', 'pay_…'),
    objectFilter('processorId', 'Processor', 'processor', true),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/disputes/${id}`,
  noun: 'disputes',
  comes: 'A payment that a cardholder contests at the bank appears here.',
});
