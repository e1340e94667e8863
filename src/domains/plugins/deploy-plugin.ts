import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, InvalidInput } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Write, write } from '../../write/write.ts';
import { atStore } from '../stores/public.ts';
import { replaceAssets } from './asset-rows.ts';
import type { DeployPluginInput } from './deployment-inputs.ts';
import { type DeploymentRow, lockPlugins, objectOf } from './deployment-rows.ts';
import { addInstance, type InstanceRow, instanceParts, instanceRow } from './instance-rows.ts';
import { deploymentEvent } from './plugin-records.ts';
import { type DeployParts, readDeployInput } from './read-deploy-input.ts';
import { checkingSchemas, type SchemaChecker } from './schema-checker.ts';
import { defaultConfig } from './select-config.ts';
import { violatingInstances } from './violating-instances.ts';

type DeployInput = typeof DeployPluginInput.$inferInput;

export interface DeployedPlugin {
  deploymentId: string;
  pluginId: string;
  version: string;
  storeId: string;
  instance: InstanceRow | null;
  violatingInstances: string[];
}

/** Deploys a version of a plugin into the account of a store, completely or not at all. */
export function deployPlugin(context: KeyContext, input: DeployInput): Promise<DeployedPlugin> {
  const parts = readDeployInput(input);
  return checkingSchemas(context, async (checker) => {
    await assertConfiguration(checker, input, parts);
    return atStore(context, input.storeId, (store) =>
      write(context, 'deployPlugin', (change) => deploy(context, change, { store, input, parts, checker })),
    );
  });
}

/** The schema must be usable, the presets must satisfy it, and so must the first configuration of a new instance. */
async function assertConfiguration(
  checker: SchemaChecker,
  { autoInstantiate }: DeployInput,
  { schema, presets }: DeployParts,
): Promise<void> {
  const schemaIssues = schema ? await checker.schemaIssues(schema, 'manifest.configuration.schema') : [];
  if (schemaIssues.length > 0) throw new InvalidInput(schemaIssues);
  const presetIssues = await checker.presetIssues(presets, schema);
  if (presetIssues.length > 0) throw new InvalidInput(presetIssues);
  if (!autoInstantiate) return;
  const [issue] = await checker.configIssues(schema, [{ config: defaultConfig(presets), path: 'config' }]);
  if (!issue) return;
  const message =
    `needs a preset to begin with, since the schema does not take an empty configuration (${issue.path} ` +
    `${issue.message})`;
  throw new InvalidInput([{ path: 'autoInstantiate', message }]);
}

async function deploy(
  context: KeyContext,
  change: Write,
  { store, input, parts, checker }: { store: Store; input: DeployInput; parts: DeployParts; checker: SchemaChecker },
): Promise<DeployedPlugin> {
  const { tx, now } = change;
  const { platformAccountId } = store;
  await lockPlugins(tx, platformAccountId);
  const { pluginId, version } = parts.manifest;
  const before = await tx.pluginDeployment.findUnique({
    where: { platformAccountId_pluginId_version: { platformAccountId, pluginId, version } },
  });
  if (before && !input.overwrite)
    throw new Conflict(
      'already_exists',
      `Version ${version} of ${pluginId} is deployed already: raise the version, or say overwrite.`,
    );
  const deployment = before
    ? await tx.pluginDeployment.update({
        where: { id: before.id },
        data: { ...parts.data, sequence: { increment: 1 }, updatedAt: now },
      })
    : await addDeployment(change, store, parts);
  await replaceAssets(tx, deployment, parts.assets, now);
  change.event(deploymentEvent('plugin/deployed', deployment, context.services.config.publicUrl));
  const assets = parts.assets.map(({ path, sha256 }) => ({ path, sha256 }));
  change.audit({
    action: 'deployPlugin',
    target: deployment.id,
    after: { pluginId, version, overwritten: before !== null, assets },
  });
  return {
    deploymentId: deployment.id,
    pluginId,
    version,
    storeId: deployment.storeId,
    instance: input.autoInstantiate ? await instanceAt(context, change, store, deployment) : null,
    violatingInstances: before ? await violatingInstances(checker, tx, deployment) : [],
  };
}

const deploymentsMax = 500;

async function addDeployment(
  { tx, now }: Write,
  store: Store,
  { manifest: { pluginId, version }, data }: Pick<DeployParts, 'manifest' | 'data'>,
): Promise<DeploymentRow> {
  const { id: storeId, partnerId, platformAccountId, mode } = store;
  if ((await tx.pluginDeployment.count({ where: { platformAccountId } })) >= deploymentsMax)
    throw new Conflict(
      'limit_reached',
      `An account has at most ${deploymentsMax} plugin deployments: delete one first.`,
    );
  return tx.pluginDeployment.create({
    data: {
      id: newId('dep_', now),
      partnerId,
      platformAccountId,
      mode,
      storeId,
      pluginId,
      version,
      ...data,
      sequence: 1,
      createdAt: now,
      updatedAt: now,
    },
  });
}

/** Returns the oldest instance of the deployment in the store, or a new one: deploying again adds no second one. */
async function instanceAt(
  context: KeyContext,
  change: Write,
  store: Store,
  deployment: DeploymentRow,
): Promise<InstanceRow> {
  const existing = await change.tx.pluginInstance.findFirst({
    where: { deploymentId: deployment.id, storeId: store.id },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    include: instanceParts,
  });
  if (existing) return instanceRow(existing);
  const config = defaultConfig(objectOf(deployment.presets) ?? {});
  return addInstance(context, change, store, deployment, { name: deployment.name, config });
}
