import { tenantOf } from '../auth/tenancy.ts';
import type { PluginInstance, Prisma, Store } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { date, is, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, InvalidInput, type InputIssue, invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { checkingSchemas, readingSchemas, type SchemaChecker } from './config-schema.ts';
import { addConfiguration, chosenConfig, configSizeIssues } from './configs.ts';
import type { CreatePluginInstanceInput, PluginInstanceFilters } from './instances-schema.ts';
import {
  type DeploymentRow,
  instanceParts,
  type InstanceRow,
  instanceRow,
  lockPlugins,
  noSuchDeployment,
  noSuchInstance,
  objectOf,
} from './plugin-records.ts';

const instancesMax = 1_000;

const instanceList: ListDefinition<typeof PluginInstanceFilters.$inferInput> = {
  table: 'plugin_instances',
  extra: {
    columns: 'd.version, m.mounts',
    joins: `LEFT JOIN plugin_deployments d ON d.id = t."deploymentId"
LEFT JOIN LATERAL (SELECT coalesce(jsonb_agg(jsonb_build_object('storeId', m."storeId", 'alias', m.alias, 'basePath', m."basePath", 'createdAt', m."createdAt") ORDER BY m.alias, m."basePath"), '[]') AS mounts FROM plugin_mounts m WHERE m."deploymentInstanceId" = t.id) m ON true`,
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
  return readList(context.env.pool, context.caller, instanceList, args);
}

export async function readPluginInstance(context: KeyContext, deploymentInstanceId: string): Promise<InstanceRow> {
  const instance = await context.env.prisma.pluginInstance.findFirst({
    where: { ...tenantOf(context.caller), id: deploymentInstanceId },
    include: instanceParts,
  });
  if (!instance) throw noSuchInstance();
  return instanceRow(instance);
}

/** Puts a deployment to work in a store of its account. */
export async function createPluginInstance(
  context: KeyContext,
  input: typeof CreatePluginInstanceInput.$inferInput,
): Promise<InstanceRow> {
  if (input.presetName != null && input.config != null)
    throw invalid('presetName', 'must not stand beside config: an instance begins with one of the two');
  const issues = input.config ? configSizeIssues(input.config) : [];
  if (issues.length > 0) throw new InvalidInput(issues);
  const named = input.storeId == null ? null : await storeOf(context, input.storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'createPluginInstance', async (change) => {
      const { tx } = change;
      const found = await tx.pluginDeployment.findFirst({
        where: { ...tenantOf(context.caller), id: input.deploymentId },
        include: { store: true },
      });
      if (!found || (named && named.platformAccountId !== found.platformAccountId)) throw noSuchDeployment();
      await lockPlugins(tx, found.platformAccountId);
      const deployment = await lockedDeployment(tx, found.id, 'SHARE');
      const config = await chosenConfig(checker, deployment, input);
      return addInstance(context, change, named ?? found.store, deployment, {
        name: input.name ?? deployment.name,
        config,
      });
    }),
  );
}

/** Adds an instance within a change that holds the account's lock. */
export async function addInstance(
  { actor }: Pick<KeyContext, 'actor'>,
  { tx, now, audit }: Write,
  store: Store,
  deployment: DeploymentRow,
  { name, config: given }: { name: string; config: JsonObject },
): Promise<InstanceRow> {
  const { id: storeId, partnerId, platformAccountId, mode } = store;
  const { id: deploymentId, pluginId } = deployment;
  if ((await tx.pluginInstance.count({ where: { platformAccountId } })) >= instancesMax)
    throw new Conflict('limit_reached', `An account has at most ${instancesMax} plugin instances: delete one first.`);
  const config = given as Prisma.InputJsonObject; // it came as JSON
  const instance = await tx.pluginInstance.create({
    data: {
      id: newId('pluginInstance', now),
      partnerId,
      platformAccountId,
      mode,
      storeId,
      deploymentId,
      pluginId,
      name,
      config,
      configVersion: 1,
      createdAt: now,
      updatedAt: now,
    },
    include: instanceParts,
  });
  await addConfiguration(tx, instance, actor, now, { config: given, reason: 'created' });
  audit({ action: 'createPluginInstance', target: instance.id, after: { deploymentId, storeId } });
  return instanceRow(instance);
}

/** Removes an instance with its mounts and its history. Its addresses are 404 from now on. */
export function deletePluginInstance(
  context: KeyContext,
  deploymentInstanceId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginInstance', async ({ tx, audit }) => {
    const instance = await tx.pluginInstance.findFirst({
      where: { ...tenantOf(context.caller), id: deploymentInstanceId },
    });
    if (!instance) throw noSuchInstance();
    await lockPlugins(tx, instance.platformAccountId);
    const { count } = await tx.pluginInstance.deleteMany({ where: { id: deploymentInstanceId } });
    if (count === 0) throw noSuchInstance();
    audit({
      action: 'deletePluginInstance',
      target: deploymentInstanceId,
      before: { deploymentId: instance.deploymentId, storeId: instance.storeId },
    });
    return { id: deploymentInstanceId, deleted: true as const };
  });
}

/** The instance of this store as the caller may see it, or 404. */
export async function instanceAtStore(
  { caller }: Pick<KeyContext, 'caller'>,
  tx: Prisma.TransactionClient,
  storeId: string,
  deploymentInstanceId: string,
): Promise<PluginInstance> {
  const instance = await tx.pluginInstance.findFirst({
    where: { ...tenantOf(caller), id: deploymentInstanceId, storeId },
  });
  if (!instance) throw noSuchInstance();
  return instance;
}

/** The deployment as it is and, until the end of the transaction, remains. */
export async function lockedDeployment(
  tx: Prisma.TransactionClient,
  deploymentId: string,
  strength: 'SHARE' | 'NO KEY UPDATE',
): Promise<DeploymentRow> {
  await tx.$queryRawUnsafe(`SELECT id FROM plugin_deployments WHERE id = $1 FOR ${strength}`, deploymentId);
  const deployment = await tx.pluginDeployment.findUnique({ where: { id: deploymentId } });
  if (!deployment) throw noSuchDeployment();
  return deployment;
}

/** So many configurations are looked at in one go: each may have 64 KiB. */
const batchMax = 20;

/** The instances whose live configuration a deployment's schema does not take. They stay live: what a page shows is the merchant's to change. */
export async function violatingInstances(
  checker: SchemaChecker,
  tx: Prisma.TransactionClient,
  { id: deploymentId, schema: column }: DeploymentRow,
): Promise<string[]> {
  const schema = objectOf(column);
  const found: string[] = [];
  for (let after = ''; schema !== null; ) {
    const instances = await tx.pluginInstance.findMany({
      where: { deploymentId, id: { gt: after } },
      select: { id: true, config: true },
      orderBy: { id: 'asc' },
      take: batchMax,
    });
    const violating = await checker.violatingOf(
      schema,
      instances.map(({ config }) => objectOf(config) ?? {}),
    );
    found.push(...instances.filter((_instance, index) => violating[index]).map(({ id }) => id));
    if (instances.length < batchMax) break;
    after = instances.at(-1)?.id ?? '';
  }
  return found;
}

/** Where the live configuration violates the deployment's schema of today. */
export async function instanceIssues(
  { env }: Pick<KeyContext, 'env'>,
  { deploymentId, platformAccountId, config }: PluginInstance,
): Promise<InputIssue[]> {
  const deployment = await env.prisma.pluginDeployment.findUnique({
    where: { id: deploymentId },
    select: { schema: true },
  });
  const schema = objectOf(deployment?.schema ?? null);
  return schema === null
    ? []
    : readingSchemas(platformAccountId, (checker) =>
        checker.configIssues(schema, [{ config: objectOf(config) ?? {}, path: 'config' }]),
      );
}
