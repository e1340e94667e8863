import type { Store } from '../generated/prisma/client.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, InvalidInput } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { atStore } from '../stores/operations.ts';
import { type Asset, type InlineAsset, readAssets, replaceAssets } from './assets.ts';
import { checkingSchemas, type SchemaChecker } from './config-schema.ts';
import { initialConfig, presetSizeIssues, schemaSizeIssues } from './configs.ts';
import { addInstance, violatingInstances } from './instances.ts';
import { type Manifest, manifestIssues, partsOf } from './manifest.ts';
import {
  deploymentEvent,
  type DeploymentRow,
  instanceParts,
  type InstanceRow,
  instanceRow,
  lockPlugins,
  objectOf,
} from './plugin-records.ts';
import type { DeployPluginInput } from './schema.ts';

type DeployInput = typeof DeployPluginInput.$inferInput;

/** What came of a deployment. */
export interface DeployedPlugin {
  deploymentId: string;
  pluginId: string;
  version: string;
  storeId: string;
  instance: InstanceRow | null;
  violatingInstances: string[];
}

const deploymentsMax = 500;

/** Deploys a version of a plugin into the account of a store: all of it or nothing. */
export function deployPlugin(context: KeyContext, input: DeployInput): Promise<DeployedPlugin> {
  const parts = readDeployInput(input);
  return checkingSchemas(context, async (checker) => {
    await assertConfiguration(checker, input, parts);
    return atStore(context, 'deployPlugin', input.storeId, (store) =>
      write(context, 'deployPlugin', (change) => deploy(context, change, { store, input, parts, checker })),
    );
  });
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
  await replaceAssets(tx, deployment.id, deployment, parts.assets, now);
  change.event(deploymentEvent('plugin/deployed', deployment));
  change.audit({
    action: 'deployPlugin',
    target: deployment.id,
    after: {
      pluginId,
      version,
      overwritten: before !== null,
      assets: parts.assets.map(({ path, sha256 }) => ({ path, sha256 })),
    },
  });
  const instance = input.autoInstantiate ? await instanceAt(context, change, store, deployment) : null;
  return {
    deploymentId: deployment.id,
    pluginId,
    version,
    storeId: deployment.storeId,
    instance,
    violatingInstances: before ? await violatingInstances(checker, tx, deployment) : [],
  };
}

interface DeployParts {
  manifest: Manifest;
  schema: JsonObject | null;
  presets: JsonObject;
  assets: Asset[];
  data: Pick<
    Prisma.PluginDeploymentUncheckedCreateInput,
    'name' | 'manifest' | 'presets' | 'schema' | 'uiSchema' | 'assetCount' | 'assetBytes'
  >;
}

/** Everything of the request that can be judged without the rows and by itself, or all that is wrong with it. */
function readDeployInput(input: DeployInput): DeployParts {
  const issues = manifestIssues(input.manifest);
  const { assets, issues: assetIssues } = readAssets((input.inlineAssets ?? []) as InlineAsset[]); // the input type's own fields
  issues.push(...assetIssues);
  if (issues.length > 0) throw new InvalidInput(issues);
  const given = input.manifest as Manifest; // as manifestIssues has seen
  const { manifest, schema, uiSchema } = partsOf(given);
  const presets = input.presets ?? {};
  const at = 'manifest.configuration';
  const sizes = [
    ...schemaSizeIssues(schema, `${at}.schema`),
    ...schemaSizeIssues(uiSchema, `${at}.uiSchema`),
    ...presetSizeIssues(presets),
  ];
  if (sizes.length > 0) throw new InvalidInput(sizes);
  const assetBytes = assets.reduce((sum, { size }) => sum + size, 0);
  // All of these came as JSON, and are objects as was just seen.
  const data = {
    name: given.name,
    manifest: manifest as Prisma.InputJsonObject,
    presets: presets as Prisma.InputJsonObject,
    schema: (schema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    uiSchema: (uiSchema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    assetCount: assets.length,
    assetBytes,
  };
  return { manifest: given, schema, presets, assets, data };
}

/** The schema, and the presets by it. */
async function assertConfiguration(
  checker: SchemaChecker,
  { autoInstantiate }: DeployInput,
  { schema, presets }: DeployParts,
): Promise<void> {
  const wrongSchema = schema ? await checker.schemaIssues(schema, 'manifest.configuration.schema') : [];
  if (wrongSchema.length > 0) throw new InvalidInput(wrongSchema);
  const wrongPresets = await checker.presetIssues(presets, schema);
  if (wrongPresets.length > 0) throw new InvalidInput(wrongPresets);
  if (autoInstantiate) await assertCanBegin(checker, schema, presets);
}

async function assertCanBegin(checker: SchemaChecker, schema: JsonObject | null, presets: JsonObject): Promise<void> {
  const [issue] = await checker.configIssues(schema, [{ config: initialConfig(presets), path: 'config' }]);
  if (issue)
    throw new InvalidInput([
      {
        path: 'autoInstantiate',
        message: `needs a preset to begin with, since the schema does not take an empty configuration (${issue.path} ${issue.message})`,
      },
    ]);
}

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
      id: newId('pluginDeployment', now),
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

/** The store's instance of the deployment: the one it has, or a new one. A pipeline that deploys again and again makes one. */
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
  return existing
    ? instanceRow(existing)
    : addInstance(context, change, store, deployment, {
        name: deployment.name,
        config: initialConfig(objectOf(deployment.presets) ?? {}),
      });
}
