import { tenantOf } from '../auth/tenancy.ts';
import type { PluginConfiguration, PluginInstance, Prisma } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { InvalidInput, NotFound } from '../kit/errors.ts';
import type { Actor } from '../kit/records.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { checkingSchemas } from './config-schema.ts';
import { addConfiguration, assertConfig, configSizeIssues } from './configs.ts';
import { instanceAtStore, lockedDeployment } from './instances.ts';
import type { RollBackPluginConfigInput, UpdatePluginInstanceConfigInput } from './instances-schema.ts';
import { instanceEvent, isSameJson, noSuchInstance, objectOf } from './plugin-records.ts';

/** How many configurations of an instance are kept; the oldest go. */
export const configurationsMax = 200;

/** Replaces the whole configuration; it is live for the next request. The one that is live already changes nothing. */
export async function updatePluginInstanceConfig(
  context: KeyContext,
  { deploymentInstanceId, storeId, config }: typeof UpdatePluginInstanceConfigInput.$inferInput,
): Promise<PluginInstance> {
  const issues = configSizeIssues(config);
  if (issues.length > 0) throw new InvalidInput(issues);
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'updatePluginInstanceConfig', async (change) => {
      const instance = await lockedInstance(context, change, storeId, deploymentInstanceId);
      await assertConfig(checker, instance.deployment, config);
      return isSameJson(instance.config, config)
        ? instance
        : configure(context, change, instance, { config, reason: 'updated' });
    }),
  );
}

/** Makes an earlier configuration the live one, as a new version; one that the schema no longer takes stays in the past. */
export async function rollBackPluginConfig(
  context: KeyContext,
  { deploymentInstanceId, storeId, version }: typeof RollBackPluginConfigInput.$inferInput,
): Promise<PluginInstance> {
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'rollBackPluginConfig', async (change) => {
      const instance = await lockedInstance(context, change, storeId, deploymentInstanceId);
      const earlier = await change.tx.pluginConfiguration.findUnique({
        where: { deploymentInstanceId_version: { deploymentInstanceId, version } },
      });
      if (!earlier) throw new NotFound(`There is no configuration ${version} of this plugin instance.`);
      const config = objectOf(earlier.config) ?? {};
      await assertConfig(checker, instance.deployment, config);
      return version === instance.configVersion
        ? instance
        : configure(context, change, instance, { config, reason: 'rolledBack', rolledBackTo: version });
    }),
  );
}

const configurationList = (deploymentInstanceId: string): ListDefinition<Record<string, never>> => ({
  table: 'plugin_configurations',
  // Two changes may fall into one millisecond; their numbers tell which came first.
  sorts: { createdAt: 'version' },
  filters: {},
  always: (bind) => `t."deploymentInstanceId" = ${bind(deploymentInstanceId)}`,
});

/** The configurations an instance has had, the live one among them: who set it, and when. */
export async function listPluginConfigurations(
  context: KeyContext,
  deploymentInstanceId: string,
  args: ListArguments<Record<string, never>>,
): Promise<Page<PluginConfiguration>> {
  const instance = await context.env.prisma.pluginInstance.findFirst({
    where: { ...tenantOf(context.caller), id: deploymentInstanceId },
    select: { id: true },
  });
  if (!instance) throw noSuchInstance();
  return readList(context.env.pool, context.caller, configurationList(deploymentInstanceId), args);
}

type LockedInstance = PluginInstance & { deployment: Awaited<ReturnType<typeof lockedDeployment>> };

/** The deployment's row is held first, so that its schema stays what the configuration is checked against; two changes of one instance come one after the other. */
async function lockedInstance(
  context: KeyContext,
  { tx }: Write,
  storeId: string,
  deploymentInstanceId: string,
): Promise<LockedInstance> {
  const { deploymentId } = await instanceAtStore(context, tx, storeId, deploymentInstanceId);
  const deployment = await lockedDeployment(tx, deploymentId, 'SHARE');
  await tx.$queryRaw`SELECT id FROM plugin_instances WHERE id = ${deploymentInstanceId} FOR NO KEY UPDATE`;
  return { ...(await instanceAtStore(context, tx, storeId, deploymentInstanceId)), deployment };
}

async function configure(
  { actor }: { actor: Actor },
  { tx, now, event }: Write,
  { deployment: _deployment, ...before }: LockedInstance,
  next: { config: JsonObject; reason: 'updated' | 'rolledBack'; rolledBackTo?: number },
): Promise<PluginInstance> {
  const config = next.config as Prisma.InputJsonObject; // it came as JSON
  const instance = await tx.pluginInstance.update({
    where: { id: before.id },
    data: { config, configVersion: { increment: 1 }, sequence: { increment: 1 }, updatedAt: now },
  });
  await addConfiguration(tx, instance, actor, now, next);
  await tx.pluginConfiguration.deleteMany({
    where: { deploymentInstanceId: instance.id, version: { lte: instance.configVersion - configurationsMax } },
  });
  event(instanceEvent(instance));
  return instance;
}
