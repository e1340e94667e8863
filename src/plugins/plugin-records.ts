import type { Prisma, PluginDeployment, PluginInstance, PluginMount } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject } from '../graph/input.ts';
import { canonicalJson } from '../kit/canonical-json.ts';
import { NotFound } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';

export type DeploymentRow = PluginDeployment;

/** Where an instance can be seen. */
export type MountRow = Pick<PluginMount, 'storeId' | 'alias' | 'basePath'> & { createdAt: Date | string };

export type InstanceRow = PluginInstance & { version: string; mounts: MountRow[] };

/** What of an instance stands in other tables. */
export const instanceParts = {
  deployment: { select: { version: true } },
  mounts: {
    select: { storeId: true, alias: true, basePath: true, createdAt: true },
    orderBy: [{ alias: 'asc' }, { basePath: 'asc' }],
  },
} as const satisfies Prisma.PluginInstanceInclude;

export function instanceRow({
  deployment,
  ...instance
}: PluginInstance & { deployment: { version: string }; mounts: MountRow[] }): InstanceRow {
  return { ...instance, version: deployment.version };
}

/** A deployment's event: what it is, without what it holds, which may be large. */
export function deploymentEvent(
  type: 'plugin/deployed' | 'plugin/configUpdated',
  deployment: DeploymentRow,
): EventDraft {
  const {
    id,
    partnerId,
    platformAccountId,
    storeId,
    mode,
    pluginId,
    version,
    name,
    assetCount,
    assetBytes,
    createdAt,
    updatedAt,
    sequence,
  } = deployment;
  const object = {
    id,
    deploymentId: id,
    platformAccountId,
    storeId,
    pluginId,
    version,
    name,
    presetNames: presetNames(deployment),
    assetCount,
    assetBytes,
    livemode: mode === 'live',
    createdAt,
    updatedAt,
  };
  return { type, partnerId, platformAccountId, mode: mode as Mode, storeId, objectId: id, sequence, object }; // a foreign key holds mode to its account's
}

/** An instance's event, with the configuration that is live from now on. */
export function instanceEvent(instance: PluginInstance): EventDraft {
  const {
    id,
    partnerId,
    platformAccountId,
    storeId,
    mode,
    deploymentId,
    pluginId,
    name,
    config,
    configVersion,
    createdAt,
    updatedAt,
    sequence,
  } = instance;
  const object = {
    id,
    deploymentInstanceId: id,
    deploymentId,
    platformAccountId,
    storeId,
    pluginId,
    name,
    config,
    configVersion,
    livemode: mode === 'live',
    createdAt,
    updatedAt,
  };
  return {
    type: 'plugin/configUpdated',
    partnerId,
    platformAccountId,
    mode: mode as Mode,
    storeId,
    objectId: id,
    sequence,
    object,
  }; // as above
}

export function presetNames({ presets }: Pick<PluginDeployment, 'presets'>): string[] {
  return Object.keys(isJsonObject(presets) ? presets : {});
}

/** A column that holds an object or nothing; a CHECK constraint sees to it. */
export function objectOf(column: Prisma.JsonValue): JsonObject | null {
  return isJsonObject(column) ? column : null;
}

export function isSameJson(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/**
 * Holds the account while its plugins change shape: deployments, instances and mounts come and go one after the other, so that
 * limits are kept, a version is deployed once, and no bytes go that somebody takes up. Live configurations do not wait for it.
 */
export async function lockPlugins(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
}

export function noSuchDeployment(): NotFound {
  return new NotFound('There is no such plugin deployment.');
}

export function noSuchInstance(): NotFound {
  return new NotFound('There is no such plugin instance.');
}
