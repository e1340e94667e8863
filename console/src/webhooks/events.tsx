import { graphql } from '../graph/graphql.ts';
import { accountFilter, days, idFilter } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink, ObjectLink } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';

const document = graphql(`
  query Events($mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: EventFilters, $partnerSlug: Slug) {
    list: events(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items { id type objectId sequence requestId createdAt account { id legalName } }
    }
  }
`);

const exportDocument = graphql(`
  mutation ExportEvents($mode: Mode!, $filters: EventFilters!, $partnerSlug: Slug) {
    begun: createExport(list: { events: $filters }, mode: $mode, partnerSlug: $partnerSlug) { url rows }
  }
`);

export const Events = listPage({
  title: 'Events',
  about: 'Changes to all objects. Webhook endpoints receive them.',
  right: 'directory',
  byPartner: true,
  onTestClocks: true,
  document,
  exportDocument,
  columns: [
    { name: 'Type', cell: ({ type }) => type },
    { name: 'Object', cell: ({ objectId }) => <ObjectLink id={objectId} /> },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Sequence', spare: true, right: true, cell: ({ sequence }) => sequence },
    { name: 'Request', spare: true, cell: ({ requestId }) => requestId },
    { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  filters: [
    idFilter('objectId', 'Object', 'any ID'),
    idFilter('type', 'Type', 'payment/succeeded', true),
    accountFilter,
    ...days('createdAt', 'Time'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/events/${id}`,
  noun: 'events',
  comes: 'Each change of an object appears here.',
});
