import { noSuch, ownRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { Prisma, type Store } from '../../../generated/prisma/client.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import { Conflict, InvalidInput } from '../../../lib/errors.ts';
import { newRow } from '../../../lib/ids.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { atStore } from '../../stores/public.ts';
import { addInstance, defaultConfig, deleteInstancesOf } from '../instances/configure.ts';
import { deploymentEvent, type InstanceRow, instanceParts, instanceRow } from '../instances/rows.ts';
import { checkingSchemas, type SchemaChecker } from '../json-schema/checker.ts';
import { presetSizeIssues, schemaSizeIssues } from '../json-schema/issues.ts';
import { type Asset, purgeUnusedBlobs, readAssets, replaceAssets } from './assets.ts';
import type { DeployPluginInput } from './inputs.ts';
import { type Manifest, manifestIssues, partsOf } from './manifest.ts';
import { type DeploymentRow, lockedDeployment, lockPlugins, objectOf } from './rows.ts';

/** A deployment as its request describes it. */
interface DeployParts {
  manifest: Manifest;
  schema: JsonObject | null;
  presets: JsonObject;
  assets: Asset[];
  /** The columns of the deployment. */
  data: Pick<
    Prisma.PluginDeploymentUncheckedCreateInput,
    'name' | 'manifest' | 'presets' | 'schema' | 'uiSchema' | 'assetCount' | 'assetBytes'
  >;
}

/**
 * Validates the parts that need neither the database nor the schema. Throws the issues of manifest and files together.
 */
function readDeployInput(input: typeof DeployPluginInput.$inferInput): DeployParts {
  const { assets, issues: assetIssues } = readAssets(input.inlineAssets ?? []);
  const issues = [...manifestIssues(input.manifest), ...assetIssues];
  if (issues.length > 0) throw new InvalidInput(issues);
  const given = input.manifest as Manifest; // validated by manifestIssues
  const { manifest, schema, uiSchema } = partsOf(given);
  const presets = input.presets ?? {};
  assertSizes(schema, uiSchema, presets);
  const data = {
    name: given.name,
    // These were received as JSON.
    manifest: manifest as Prisma.InputJsonObject,
    presets: presets as Prisma.InputJsonObject,
    schema: (schema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    uiSchema: (uiSchema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    assetCount: assets.length,
    assetBytes: assets.reduce((sum, { size }) => sum + size, 0),
  };
  return { manifest: given, schema, presets, assets, data };
}

function assertSizes(schema: JsonObject | null, uiSchema: JsonObject | null, presets: JsonObject): void {
  const path = 'manifest.configuration';
  const issues = [
    ...schemaSizeIssues(schema, `${path}.schema`),
    ...schemaSizeIssues(uiSchema, `${path}.uiSchema`),
    ...presetSizeIssues(presets),
  ];
  if (issues.length > 0) throw new InvalidInput(issues);
}

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
export function deployPlugin(context: TenantContext, input: DeployInput): Promise<DeployedPlugin> {
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
  context: TenantContext,
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
      `Version ${version} of ${pluginId} is already deployed: raise the version, or set overwrite.`,
    );
  const deployment = before
    ? await changeDeployment(change, before.id, parts.data)
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

export function changeDeployment(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  id: string,
  data: Prisma.PluginDeploymentUncheckedUpdateInput,
): Promise<DeploymentRow> {
  return tx.pluginDeployment.update({
    where: { id },
    data: { ...data, sequence: { increment: 1 }, updatedAt: now },
  });
}

/** Configurations checked in one batch. Each may have 64 KiB. */
const batchMax = 20;

/**
 * Returns the instances whose live configuration violates the schema of a deployment. They stay live, since the
 * configuration of a page is up to the merchant.
 */
export async function violatingInstances(
  checker: SchemaChecker,
  tx: Prisma.TransactionClient,
  { id: deploymentId, schema: column }: DeploymentRow,
): Promise<string[]> {
  const schema = objectOf(column);
  if (schema === null) return [];
  const found: string[] = [];
  for (let after = ''; ; ) {
    const instances = await tx.pluginInstance.findMany({
      where: { deploymentId, id: { gt: after } },
      select: { id: true, config: true },
      orderBy: { id: 'asc' },
      take: batchMax,
    });
    const configs = instances.map(({ config }) => objectOf(config) ?? {});
    const violating = await checker.violatingOf(schema, configs);
    found.push(...instances.filter((_instance, index) => violating[index]).map(({ id }) => id));
    if (instances.length < batchMax) return found;
    after = instances.at(-1)?.id ?? '';
  }
}

const deploymentsMax = 500;

async function addDeployment(
  { tx, now }: Write,
  store: Store,
  { manifest: { pluginId, version }, data }: Pick<DeployParts, 'manifest' | 'data'>,
): Promise<DeploymentRow> {
  const { id: storeId, platformAccountId } = store;
  if ((await tx.pluginDeployment.count({ where: { platformAccountId } })) >= deploymentsMax)
    throw new Conflict(
      'limit_reached',
      `An account has at most ${deploymentsMax} plugin deployments: delete one first.`,
    );
  return tx.pluginDeployment.create({
    data: {
      ...newRow('dep_', store, now),
      storeId,
      pluginId,
      version,
      ...data,
      sequence: 1,
    },
  });
}

/** Returns the oldest instance of the deployment in the store, or a new one: deploying again adds no second one. */
async function instanceAt(
  context: TenantContext,
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

/** Deletes a deployment with its files, its instances and their history. */
export function deletePluginDeployment(
  context: TenantContext,
  deploymentId: string,
  force: boolean,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginDeployment', async ({ tx, audit }) => {
    const { platformAccountId, pluginId, version } = await ownRow(tx, context.tenant, 'pluginDeployment', deploymentId);
    await lockPlugins(tx, platformAccountId);
    // The same lock order as a change of a configuration: the deployment, then its instance.
    await lockedDeployment(tx, deploymentId, 'NO KEY UPDATE');
    const mounts = await tx.pluginMount.count({ where: { instance: { deploymentId } } });
    if (mounts > 0 && !force)
      throw new Conflict(
        'invalid_state',
        `The deployment is live at ${mounts === 1 ? 'an address' : `${mounts} addresses`}: unmount its ` +
          'instances first, or say force=true.',
      );
    await deleteInstancesOf(tx, deploymentId);
    const { count } = await tx.pluginDeployment.deleteMany({ where: { id: deploymentId } });
    if (count === 0) throw noSuch('pluginDeployment');
    await purgeUnusedBlobs(tx, platformAccountId);
    audit({ action: 'deletePluginDeployment', target: deploymentId, before: { pluginId, version, mounts } });
    return { id: deploymentId, deleted: true as const };
  });
}
