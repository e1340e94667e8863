import { requireRow } from '../../../auth/visible.ts';
import { lockRow } from '../../../database/lock-row.ts';
import type { PluginDeployment, Prisma } from '../../../generated/prisma/client.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject } from '../../../graph/input/check.ts';
import { mountUrl } from '../page-url.ts';

export type DeploymentRow = PluginDeployment;

/**
 * Locks the account for changes of its deployments, instances and mounts, so that they run in sequence: limits hold, a
 * version is deployed once, and no content is purged that another deployment uses. Changes of configurations do not
 * take this lock.
 */
export async function lockPlugins(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  await lockRow(tx, 'processing_accounts', platformAccountId);
}

/** Locks a deployment until the end of the database transaction and returns it. */
export async function lockedDeployment(
  tx: Prisma.TransactionClient,
  deploymentId: string,
  strength: 'SHARE' | 'NO KEY UPDATE',
): Promise<DeploymentRow> {
  await lockRow(tx, 'plugin_deployments', deploymentId, strength);
  return requireRow(tx, 'pluginDeployment', { id: deploymentId });
}

export function presetNames({ presets }: Pick<PluginDeployment, 'presets'>): string[] {
  return Object.keys(isJsonObject(presets) ? presets : {});
}

/** Returns the object in a JSON column. A CHECK constraint limits these columns to objects and null. */
export function objectOf(column: Prisma.JsonValue): JsonObject | null {
  return isJsonObject(column) ? column : null;
}

/**
 * A deployment as the list of deployments returns it (rest/plugins/deployments.graphql). Its manifest, presets, schemas
 * and list of files may take half a megabyte. Events omit them.
 */
export interface DeploymentObject {
  id: string;
  deploymentId: string;
  platformAccountId: string;
  storeId: string;
  pluginId: string;
  version: string;
  name: string;
  url: string;
  presetNames: string[];
  assetCount: number;
  assetBytes: number;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function deploymentObject(deployment: DeploymentRow, publicUrl: string): DeploymentObject {
  return {
    id: deployment.id,
    deploymentId: deployment.id,
    platformAccountId: deployment.platformAccountId,
    storeId: deployment.storeId,
    pluginId: deployment.pluginId,
    version: deployment.version,
    name: deployment.name,
    url: deploymentUrl(deployment, publicUrl),
    presetNames: presetNames(deployment),
    assetCount: deployment.assetCount,
    assetBytes: deployment.assetBytes,
    livemode: deployment.mode === 'live',
    createdAt: deployment.createdAt,
    updatedAt: deployment.updatedAt,
  };
}

/** The address of the preview of a deployment. */
export function deploymentUrl({ id, storeId }: Pick<DeploymentRow, 'id' | 'storeId'>, publicUrl: string): string {
  return mountUrl(publicUrl, { storeId, alias: id, basePath: '/' });
}
