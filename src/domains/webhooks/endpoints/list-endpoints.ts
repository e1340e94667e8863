import { sql } from '../../../database/sql.ts';
import { bool, id, ids, listOf } from '../../../lists/list-of.ts';
import { WebhookEndpoint } from '../types.ts';
import { type EndpointRow, endpointView } from './rows.ts';

export const webhookEndpoints = listOf('WebhookEndpoint', WebhookEndpoint, (row: EndpointRow) => endpointView(row), {
  of: 'webhook endpoints',
  table: 'webhook_endpoints',
  extra: { columns: sql`NULL AS secret, NULL AS "previousSecret"` },
  sorts: { createdAt: 'createdAt' },
  aboutFilters: 'Filters for a list of webhook endpoints. An endpoint must match all filters that are given.',
  filters: {
    storeId: ids('Endpoints limited to one of these stores, prefix `store_`.'),
    enabled: bool('True for enabled endpoints, false for disabled ones.', {
      // Two texts, since the plan for one value would be bad for the other.
      where: (wanted) => (wanted ? sql`t.enabled` : sql`NOT t.enabled`),
    }),
    isFailing: bool('True for endpoints whose last attempt failed, false for the others.', {
      forPeople: true,
      where: (wanted) => (wanted ? sql`t."failingSince" IS NOT NULL` : sql`t."failingSince" IS NULL`),
    }),
    platformAccountId: id('Endpoints of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  filtersWithinPartner: ['storeId'],
  always: sql`t."deletedAt" IS NULL`,
  forPeople: true,
});
