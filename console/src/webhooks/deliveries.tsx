import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { choice, days, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { ObjectLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Attempts } from './delivery-attempts.tsx';
import { pathOfEvent } from './delivery-rows.tsx';
import { Redeliver, redeliverAll } from './redeliver.tsx';

const document = graphql(`
  query Deliveries(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: WebhookDeliveryFilters, $partnerSlug: Slug
  ) {
    list: webhookDeliveries(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items {
        id eventId eventType endpointId status nextAttemptAt createdAt
        attempts { status }
        endpoint { url }
      }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportDeliveries($mode: Mode!, $filters: WebhookDeliveryFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { webhookDeliveries: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Deliveries = listPage({
  title: 'Webhook deliveries',
  about: 'Deliveries to the endpoints of partners and merchants, with their responses.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Event', cell: ({ eventType }) => eventType },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
    { name: 'Responses', cell: (row) => <Attempts delivery={row} /> },
    { name: 'Next attempt', spare: true, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} far /> },
    { name: 'Endpoint', cell: ({ endpointId, endpoint }) => <ObjectLink id={endpointId} name={endpoint?.url} /> },
    { name: 'Created', spare: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Action', cell: (row) => <Redeliver delivery={row} /> },
  ],
  filters: [
    choice('status', 'Status', enums.WebhookDeliveryStatus),
    idFilter('eventType', 'Type', 'payment/succeeded', true),
    idFilter('objectId', 'Object', 'any ID'),
    idFilter('eventId', 'Event', 'evt_…'),
    idFilter('endpointId', 'Endpoint', 'wh_…'),
    ...days('createdAt', 'Created'),
  ],
  bulk: [redeliverAll],
  keyOf: ({ id }) => id,
  pathOf: (row) => pathOfEvent(row),
  noun: 'deliveries',
  comes: 'Each event that is sent to an endpoint appears here.',
});
