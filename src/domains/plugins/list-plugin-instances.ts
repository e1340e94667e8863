import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { date, is, oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { PluginInstanceFilters } from './instance-inputs.ts';
import type { InstanceRow } from './instance-rows.ts';

const mountsAsJson = sql`
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object(
        'storeId', m."storeId",
        'alias', m.alias,
        'basePath', m."basePath",
        'createdAt', m."createdAt"
      )
      ORDER BY m.alias, m."basePath"
    ),
    '[]'
  ) AS mounts
  FROM plugin_mounts m
  WHERE m."deploymentInstanceId" = t.id`;

const instanceList: ListDefinition<typeof PluginInstanceFilters.$inferInput> = {
  table: 'plugin_instances',
  extra: {
    columns: sql`d.version, m.mounts`,
    joins: sql`
      LEFT JOIN plugin_deployments d ON d.id = t."deploymentId"
      LEFT JOIN LATERAL (${mountsAsJson}) m ON true`,
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    deploymentId: is('deploymentId'),
    pluginId: oneOf('pluginId'),
    storeId: oneOf('storeId'),
    name: text('name'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listPluginInstances(
  context: KeyContext,
  args: ListArguments<typeof PluginInstanceFilters.$inferInput>,
): Promise<Page<InstanceRow>> {
  return readList(context.services.pool, context.caller, instanceList, args);
}
