import { graphql } from '../graph/graphql.ts';
import { idFilter, yesOrNo } from '../parts/list-definition.ts';
import { listPage } from '../parts/list-page.tsx';
import { RedeliverSince } from '../parts/redeliver.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';

const document = graphql(`
  query Endpoints(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: OperatorWebhookEndpointFilters, $partnerSlug: Slug
  ) {
    list: operatorWebhookEndpoints(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items {
        id url enabled disabledReason lastDeliveredAt failingSince openCount failedCount deadCount
      }
    }
  }
`);

interface Health {
  enabled: boolean;
  disabledReason: string | null;
  failingSince: string | null;
}

function healthOf({ enabled, disabledReason, failingSince }: Health): { of: string; detail?: string } {
  if (!enabled) return { of: 'dead', detail: disabledReason === 'manual' ? 'switched off' : `off: ${disabledReason}` };
  return failingSince ? { of: 'failed', detail: 'failing' } : { of: 'active', detail: 'well' };
}

export const Endpoints = listPage({
  title: 'Webhook endpoints',
  about: 'Where events are sent, and whether they arrive.',
  right: 'platformStaff',
  byPartner: true,
  document,
  columns: [
    { name: 'URL', cell: ({ url }) => url },
    { name: 'Health', cell: (row) => <Status {...healthOf(row)} /> },
    { name: 'Failing since', cell: ({ failingSince }) => <Time at={failingSince} /> },
    { name: 'Last success', cell: ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} /> },
    { name: 'Open', right: true, cell: ({ openCount }) => openCount },
    { name: 'Failed', right: true, cell: ({ failedCount }) => failedCount },
    { name: 'Dead', right: true, cell: ({ deadCount }) => deadCount },
    { name: 'Action', cell: (row) => <RedeliverSince endpoint={row} /> },
  ],
  filters: [
    yesOrNo('isFailing', 'Failing'),
    yesOrNo('enabled', 'Switched on'),
    idFilter('platformAccountId', 'Account', 'tpa_…'),
  ],
  keyOf: ({ id }) => id,
  pathOf: ({ id }) => `/deliveries?endpointId=${id}`,
  empty: 'No endpoint matches.',
});
