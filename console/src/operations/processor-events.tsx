import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { choice, objectFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink, ProcessorLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query UnappliedEvents(
    $mode: Mode, $page: PageNumber, $pageSize: PageSize, $processorId: ID, $status: UnappliedEventStatus
  ) {
    list: unappliedProcessorEvents(
      mode: $mode, page: $page, pageSize: $pageSize, processorId: $processorId, status: $status
    ) {
      total
      totalPages
      items { eventId type status reason attempts platformAccountId receivedAt updatedAt
        account { id legalName }
        processor { id name type platformAccountId } }
    }
  }
`);

export const ProcessorEvents = listPage({
  title: 'Unapplied processor events',
  about: 'Processor events that could not be applied on receipt.',
  right: 'platformStaff',
  document,
  columns: [
    { name: 'Type', cell: ({ type }) => type },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Reason', cell: ({ reason }) => reason },
    { name: 'Attempts', right: true, cell: ({ attempts }) => attempts },
    { name: 'Processor', cell: ({ processor }) => <ProcessorLink of={processor} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  ],
  filters: [
    choice('status', 'Status', enums.UnappliedEventStatus, true),
    objectFilter('processorId', 'Processor', 'processor'),
  ],
  keyOf: ({ eventId }) => eventId,
  pathOf: ({ platformAccountId }) => `/accounts/${platformAccountId}`,
  noun: 'events',
  comes: 'An event of a processor appears here if it cannot be applied on receipt.',
});
