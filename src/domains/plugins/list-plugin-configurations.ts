import { sql } from '../../database/sql.ts';
import type { PluginConfiguration } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import { instanceOf } from './instance-rows.ts';

const configurationList = (deploymentInstanceId: string): ListDefinition<Record<string, never>> => ({
  table: 'plugin_configurations',
  // Versions keep the order of two changes within one millisecond.
  sorts: { createdAt: 'version' },
  filters: {},
  always: sql`t."deploymentInstanceId" = ${deploymentInstanceId}`,
});

/** Returns the configurations of an instance, the live one included. */
export async function listPluginConfigurations(
  { services, caller }: Pick<KeyContext, 'services' | 'caller'>,
  deploymentInstanceId: string,
  args: ListArguments<Record<string, never>>,
): Promise<Page<PluginConfiguration>> {
  await instanceOf(services.prisma, caller, { deploymentInstanceId });
  return readList(services.pool, caller, configurationList(deploymentInstanceId), args);
}
