import { graphql } from '../graph/graphql.ts';
import { accountFilter, defineList, yesOrNo } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Time } from '../ui/time.tsx';
import { switches } from './endpoint-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { RedeliverSince } from './redeliver.tsx';

const document = graphql(`
  query Endpoints(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: WebhookEndpointFilters, $partnerSlug: Slug
  ) {
    list: webhookEndpoints(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id url enabled disabledReason lastDeliveredAt failingSince openCount failedCount deadCount
        account { id legalName }
      }
    }
  }
`);

export const endpointList = defineList({
  title: 'Webhook endpoints',
  about: 'Endpoints that receive events, with their health.',
  right: 'directory',
  byPartner: true,
  document,
  columns: [
    { name: 'URL', cell: ({ url }) => url },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Health', cell: (row) => <EndpointHealth of={row} /> },
    { name: 'Failing since', spare: true, cell: ({ failingSince }) => <Time at={failingSince} /> },
    { name: 'Last success', spare: true, cell: ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} /> },
    { name: 'Pending', right: true, cell: ({ openCount, failedCount }) => openCount - failedCount },
    { name: 'Retrying', right: true, cell: ({ failedCount }) => failedCount },
    { name: 'Dead', right: true, cell: ({ deadCount }) => deadCount },
    { name: 'Action', cell: (row) => <RedeliverSince endpoint={row} /> },
  ],
  bulk: switches,
  filters: [yesOrNo('isFailing', 'Failing'), yesOrNo('enabled', 'Enabled'), accountFilter],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/endpoints/${id}`,
  noun: 'endpoints',
  comes: 'Endpoints are created with an API key.',
});

export const Endpoints = listPage(endpointList);
