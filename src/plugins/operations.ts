import { tenantOf } from '../auth/tenancy.ts';
import type { PluginAsset, Prisma } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { date, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict } from '../kit/errors.ts';
import { write } from '../kit/write.ts';
import { forgetBlobs } from './assets.ts';
import { lockedDeployment } from './instances.ts';
import { mountUrl } from './mounts.ts';
import { type DeploymentRow, lockPlugins, noSuchDeployment } from './plugin-records.ts';
import type { PluginDeploymentFilters } from './schema.ts';

export { listPluginConfigurations, rollBackPluginConfig, updatePluginInstanceConfig } from './configurations.ts';
export { deployPlugin } from './deploy-plugin.ts';
export { createPluginInstance, deletePluginInstance, listPluginInstances, readPluginInstance } from './instances.ts';
export { mountPluginInstance, unmountPluginInstance } from './mounts.ts';
export { syncPluginConfig } from './sync-plugin-config.ts';

const deploymentList: ListDefinition<typeof PluginDeploymentFilters.$inferInput> = {
  table: 'plugin_deployments',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    pluginId: oneOf('pluginId'),
    version: oneOf('version'),
    storeId: oneOf('storeId'),
    name: text('name'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listPluginDeployments(
  context: KeyContext,
  args: ListArguments<typeof PluginDeploymentFilters.$inferInput>,
): Promise<Page<DeploymentRow>> {
  return readList(context.env.pool, context.caller, deploymentList, args);
}

export async function readPluginDeployment(context: KeyContext, deploymentId: string): Promise<DeploymentRow> {
  const deployment = await context.env.prisma.pluginDeployment.findFirst({
    where: { ...tenantOf(context.caller), id: deploymentId },
  });
  if (!deployment) throw noSuchDeployment();
  return deployment;
}

/** The files of a deployment, without their bytes. */
export function assetsOf(
  { env }: Pick<KeyContext, 'env'>,
  { id: deploymentId }: DeploymentRow,
): Promise<PluginAsset[]> {
  return env.prisma.pluginAsset.findMany({ where: { deploymentId }, orderBy: { path: 'asc' } });
}

/** Removes a deployment with its files, instances and their history. While one of its instances is mounted it takes force. */
export function deletePluginDeployment(
  context: KeyContext,
  deploymentId: string,
  force: boolean,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginDeployment', async ({ tx, audit }) => {
    const deployment = await tx.pluginDeployment.findFirst({
      where: { ...tenantOf(context.caller), id: deploymentId },
    });
    if (!deployment) throw noSuchDeployment();
    await lockPlugins(tx, deployment.platformAccountId);
    // A configuration that is being changed holds the deployment first and its instance then: so does this.
    await lockedDeployment(tx, deploymentId, 'NO KEY UPDATE');
    const mounts = await tx.pluginMount.count({ where: { instance: { deploymentId } } });
    if (mounts > 0 && !force)
      throw new Conflict(
        'invalid_state',
        `The deployment is live at ${mounts === 1 ? 'an address' : `${mounts} addresses`}: unmount its instances first, or say force=true.`,
      );
    await tx.pluginInstance.deleteMany({ where: { deploymentId } });
    const { count } = await tx.pluginDeployment.deleteMany({ where: { id: deploymentId } });
    if (count === 0) throw noSuchDeployment();
    await forgetBlobs(tx, deployment.platformAccountId);
    audit({
      action: 'deletePluginDeployment',
      target: deploymentId,
      before: { pluginId: deployment.pluginId, version: deployment.version, mounts },
    });
    return { id: deploymentId, deleted: true as const };
  });
}

/** Where a page of an instance is served, for whoever sends a customer there; null when the instance is mounted nowhere. */
export async function pageUrlOf(
  db: Pick<Prisma.TransactionClient, 'pluginMount'>,
  publicUrl: string,
  {
    storeId,
    deploymentInstanceId,
    path,
    session,
  }: { storeId: string; deploymentInstanceId: string; path?: string | null; session?: string },
): Promise<string | null> {
  const mount = await db.pluginMount.findFirst({
    where: { storeId, deploymentInstanceId },
    orderBy: [{ createdAt: 'asc' }, { alias: 'asc' }, { basePath: 'asc' }],
  });
  if (!mount) return null;
  return `${mountUrl(publicUrl, mount, path ?? '/')}${session === undefined ? '' : `?session=${encodeURIComponent(session)}`}`;
}
