import type { KeyContext } from '../../graph/context.ts';
import { date, oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { PluginDeploymentFilters } from './deployment-inputs.ts';
import type { DeploymentRow } from './deployment-rows.ts';

const deploymentList: ListDefinition<typeof PluginDeploymentFilters.$inferInput> = {
  table: 'plugin_deployments',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    pluginId: oneOf('pluginId'),
    version: oneOf('version'),
    storeId: oneOf('storeId'),
    name: text('name'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listPluginDeployments(
  context: KeyContext,
  args: ListArguments<typeof PluginDeploymentFilters.$inferInput>,
): Promise<Page<DeploymentRow>> {
  return readList(context.services.pool, context.caller, deploymentList, args);
}
