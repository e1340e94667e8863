import { noSuch, ownRow } from '../../../auth/visible.ts';
import type { Actor, TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import type { PluginInstance, Prisma, Store } from '../../../generated/prisma/client.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject } from '../../../graph/input/check.ts';
import { Conflict, type InputIssue, InvalidInput, invalid, NotFound } from '../../../lib/errors.ts';
import { newId, newRow } from '../../../lib/ids.ts';
import { canonicalJson } from '../../../lib/json.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { storeOf } from '../../stores/public.ts';
import { type DeploymentRow, lockedDeployment, lockPlugins, objectOf } from '../deployments/rows.ts';
import { checkingSchemas, readingSchemas, type SchemaChecker } from '../json-schema/checker.ts';
import { configSizeIssues } from '../json-schema/issues.ts';
import type {
  CreatePluginInstanceInput,
  RollBackPluginConfigInput,
  UpdatePluginInstanceConfigInput,
} from './inputs.ts';
import { type InstanceRow, instanceEvent, instanceOf, instanceParts, instanceRow } from './rows.ts';

/** Returns the first configuration of an instance: the preset named, the configuration given, or the default one. */
async function selectConfig(
  checker: SchemaChecker,
  { schema, presets: column }: Pick<DeploymentRow, 'schema' | 'presets'>,
  { presetName, config }: { presetName?: string | null | undefined; config?: JsonObject | null | undefined },
): Promise<JsonObject> {
  const presets = objectOf(column) ?? {};
  // Presets were checked against the schema when they were stored.
  if (presetName != null) return namedPreset(presets, presetName);
  const chosen = config ?? defaultConfig(presets);
  await assertConfig(checker, { schema }, chosen);
  return chosen;
}

function namedPreset(presets: JsonObject, name: string): JsonObject {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (isJsonObject(preset)) return preset;
  const names = Object.keys(presets);
  const known = names.length === 0 ? ', and the deployment has none' : `: ${names.join(', ')}`;
  throw invalid('presetName', `must be the name of a preset${known}`);
}

/** Returns the preset `default`, or else the first preset, or else an empty configuration. */
export function defaultConfig(presets: JsonObject): JsonObject {
  const preset = Object.hasOwn(presets, 'default') ? presets['default'] : Object.values(presets)[0];
  return isJsonObject(preset) ? preset : {};
}

async function assertConfig(
  checker: SchemaChecker,
  { schema }: Pick<DeploymentRow, 'schema'>,
  config: JsonObject,
): Promise<void> {
  const issues = await checker.configIssues(objectOf(schema), [{ config, path: 'config' }]);
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Creates an instance of a deployment in a store of its account. */
export async function createPluginInstance(
  context: TenantContext,
  input: typeof CreatePluginInstanceInput.$inferInput,
): Promise<InstanceRow> {
  if (input.presetName != null && input.config != null) throw invalid('presetName', 'cannot be combined with config');
  const issues = input.config ? configSizeIssues(input.config) : [];
  if (issues.length > 0) throw new InvalidInput(issues);
  const named = input.storeId == null ? null : await storeOf(context, input.storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'createPluginInstance', async (change) => {
      const { tx } = change;
      const found = await ownRow(tx, context.tenant, 'pluginDeployment', input.deploymentId);
      if (named && named.platformAccountId !== found.platformAccountId) throw noSuch('pluginDeployment');
      await lockPlugins(tx, found.platformAccountId);
      const deployment = await lockedDeployment(tx, found.id, 'SHARE');
      const config = await selectConfig(checker, deployment, input);
      const store = named ?? (await tx.store.findUniqueOrThrow({ where: { id: deployment.storeId } }));
      return addInstance(context, change, store, deployment, { name: input.name ?? deployment.name, config });
    }),
  );
}

/** A configuration to be stored, and why it becomes the live one. */
interface ConfigurationDraft {
  config: JsonObject;
  reason: 'created' | 'updated' | 'rolledBack';
  rolledBackTo?: number;
}

/** Stores the live configuration of an instance in its history, with the actor that set it. */
async function addConfiguration(
  tx: Prisma.TransactionClient,
  { id: deploymentInstanceId, partnerId, platformAccountId, mode, configVersion }: PluginInstance,
  actor: Actor,
  now: Date,
  { config, reason, rolledBackTo }: ConfigurationDraft,
): Promise<void> {
  await tx.pluginConfiguration.create({
    data: {
      id: newId('pcfg_', now),
      partnerId,
      platformAccountId,
      mode,
      deploymentInstanceId,
      version: configVersion,
      config: config as Prisma.InputJsonObject, // received as JSON
      reason,
      rolledBackTo: rolledBackTo ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      createdAt: now,
    },
  });
}

const instancesMax = 1_000;

/** Adds an instance. The caller holds the lock of the account (`lockPlugins`). */
export async function addInstance(
  { actor }: Pick<TenantContext, 'actor'>,
  { tx, now, audit }: Write,
  store: Store,
  deployment: DeploymentRow,
  { name, config }: { name: string; config: JsonObject },
): Promise<InstanceRow> {
  const { id: storeId, platformAccountId } = store;
  const { id: deploymentId, pluginId } = deployment;
  if ((await tx.pluginInstance.count({ where: { platformAccountId } })) >= instancesMax)
    throw new Conflict('limit_reached', `An account has at most ${instancesMax} plugin instances: delete one first.`);
  const instance = await tx.pluginInstance.create({
    data: {
      ...newRow('pin_', store, now),
      storeId,
      deploymentId,
      pluginId,
      name,
      config: config as Prisma.InputJsonObject, // received as JSON
      configVersion: 1,
    },
    include: instanceParts,
  });
  await addConfiguration(tx, instance, actor, now, { config, reason: 'created' });
  audit({ action: 'createPluginInstance', target: instance.id, after: { deploymentId, storeId } });
  return instanceRow(instance);
}

/** The number of configurations kept of an instance. The oldest are deleted. */
const configurationsMax = 200;

interface LockedInstance {
  instance: PluginInstance;
  deployment: DeploymentRow;
}

/**
 * Locks an instance of a store and its deployment. The deployment is locked first, so that the schema a configuration
 * is checked against does not change. The instance is read again because its row may have changed before the lock.
 */
async function lockedInstance(
  { tenant }: Pick<TenantContext, 'tenant'>,
  tx: Prisma.TransactionClient,
  requested: { deploymentInstanceId: string; storeId: string },
): Promise<LockedInstance> {
  const { deploymentId } = await instanceOf(tx, tenant, requested);
  const deployment = await lockedDeployment(tx, deploymentId, 'SHARE');
  await lockRow(tx, 'plugin_instances', requested.deploymentInstanceId);
  return { instance: await instanceOf(tx, tenant, requested), deployment };
}

/** Makes a configuration the live one of an instance. The caller has checked that it satisfies the schema. */
async function replaceConfiguration(
  { actor, services }: Pick<TenantContext, 'actor' | 'services'>,
  { tx, now, event }: Write,
  { id }: PluginInstance,
  next: ConfigurationDraft,
): Promise<PluginInstance> {
  const row = await tx.pluginInstance.update({
    where: { id },
    data: {
      config: next.config as Prisma.InputJsonObject, // received as JSON
      configVersion: { increment: 1 },
      sequence: { increment: 1 },
      updatedAt: now,
    },
    include: instanceParts,
  });
  const instance = instanceRow(row);
  await addConfiguration(tx, instance, actor, now, next);
  await tx.pluginConfiguration.deleteMany({
    where: { deploymentInstanceId: id, version: { lte: instance.configVersion - configurationsMax } },
  });
  event(instanceEvent(instance, services.config.publicUrl));
  return instance;
}

/** Replaces the whole live configuration of an instance. An equal configuration changes nothing. */
export async function updatePluginInstanceConfig(
  context: TenantContext,
  { deploymentInstanceId, storeId, config }: typeof UpdatePluginInstanceConfigInput.$inferInput,
): Promise<PluginInstance> {
  const issues = configSizeIssues(config);
  if (issues.length > 0) throw new InvalidInput(issues);
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'updatePluginInstanceConfig', async (change) => {
      const { instance, deployment } = await lockedInstance(context, change.tx, { deploymentInstanceId, storeId });
      await assertConfig(checker, deployment, config);
      return canonicalJson(instance.config) === canonicalJson(config)
        ? instance
        : replaceConfiguration(context, change, instance, { config, reason: 'updated' });
    }),
  );
}

/** Makes an earlier configuration the live one, as a new version. It must satisfy the current schema. */
export async function rollBackPluginConfig(
  context: TenantContext,
  { deploymentInstanceId, storeId, version }: typeof RollBackPluginConfigInput.$inferInput,
): Promise<PluginInstance> {
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'rollBackPluginConfig', async (change) => {
      const { instance, deployment } = await lockedInstance(context, change.tx, { deploymentInstanceId, storeId });
      const earlier = await change.tx.pluginConfiguration.findUnique({
        where: { deploymentInstanceId_version: { deploymentInstanceId, version } },
      });
      if (!earlier) throw new NotFound(`Configuration ${version} of this plugin instance not found.`);
      const config = objectOf(earlier.config) ?? {};
      await assertConfig(checker, deployment, config);
      return version === instance.configVersion
        ? instance
        : replaceConfiguration(context, change, instance, { config, reason: 'rolledBack', rolledBackTo: version });
    }),
  );
}

export async function deleteInstancesOf(tx: Prisma.TransactionClient, deploymentId: string): Promise<void> {
  await tx.pluginInstance.deleteMany({ where: { deploymentId } });
}

/** Deletes an instance with its mounts and its history. */
export function deletePluginInstance(
  context: TenantContext,
  deploymentInstanceId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginInstance', async ({ tx, audit }) => {
    const { platformAccountId, deploymentId, storeId } = await instanceOf(tx, context.tenant, { deploymentInstanceId });
    await lockPlugins(tx, platformAccountId);
    const { count } = await tx.pluginInstance.deleteMany({ where: { id: deploymentInstanceId } });
    if (count === 0) throw noSuch('pluginInstance');
    audit({ action: 'deletePluginInstance', target: deploymentInstanceId, before: { deploymentId, storeId } });
    return { id: deploymentInstanceId, deleted: true as const };
  });
}

export async function readPluginInstance(
  { services, tenant }: Pick<TenantContext, 'services' | 'tenant'>,
  deploymentInstanceId: string,
): Promise<InstanceRow> {
  return instanceRow(
    await ownRow(services.prisma, tenant, 'pluginInstance', deploymentInstanceId, { include: instanceParts }),
  );
}

/** Returns where the live configuration of an instance violates the current schema of its deployment. */
export async function configIssuesOf(
  { services }: Pick<TenantContext, 'services'>,
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
