import { tenantOf } from '../../auth/tenancy.ts';
import type { PluginInstance } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { objectOf } from './deployment-rows.ts';
import { type InstanceRow, instanceParts, instanceRow, noSuchInstance } from './instance-rows.ts';
import { readingSchemas } from './schema-checker.ts';

export async function readPluginInstance(
  { services, caller }: Pick<KeyContext, 'services' | 'caller'>,
  deploymentInstanceId: string,
): Promise<InstanceRow> {
  const instance = await services.prisma.pluginInstance.findFirst({
    where: { ...tenantOf(caller), id: deploymentInstanceId },
    include: instanceParts,
  });
  if (!instance) throw noSuchInstance();
  return instanceRow(instance);
}

/** Returns where the live configuration of an instance violates the current schema of its deployment. */
export async function configIssuesOf(
  { services }: Pick<KeyContext, 'services'>,
  { deploymentId, platformAccountId, config: column }: PluginInstance,
): Promise<InputIssue[]> {
  const deployment = await services.prisma.pluginDeployment.findUnique({
    where: { id: deploymentId },
    select: { schema: true },
  });
  const schema = objectOf(deployment?.schema ?? null);
  if (schema === null) return [];
  const config = objectOf(column) ?? {};
  return readingSchemas(platformAccountId, (checker) => checker.configIssues(schema, [{ config, path: 'config' }]));
}
