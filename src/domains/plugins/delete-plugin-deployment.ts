import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { purgeUnusedBlobs } from './asset-rows.ts';
import { deploymentOf, lockedDeployment, lockPlugins, noSuchDeployment } from './deployment-rows.ts';

/** Deletes a deployment with its files, its instances and their history. */
export function deletePluginDeployment(
  context: KeyContext,
  deploymentId: string,
  force: boolean,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginDeployment', async ({ tx, audit }) => {
    const { platformAccountId, pluginId, version } = await deploymentOf(tx, context.caller, deploymentId);
    await lockPlugins(tx, platformAccountId);
    // The same order of locks as a change of a configuration: the deployment, then its instance.
    await lockedDeployment(tx, deploymentId, 'NO KEY UPDATE');
    const mounts = await tx.pluginMount.count({ where: { instance: { deploymentId } } });
    if (mounts > 0 && !force)
      throw new Conflict(
        'invalid_state',
        `The deployment is live at ${mounts === 1 ? 'an address' : `${mounts} addresses`}: unmount its ` +
          'instances first, or say force=true.',
      );
    await tx.pluginInstance.deleteMany({ where: { deploymentId } });
    const { count } = await tx.pluginDeployment.deleteMany({ where: { id: deploymentId } });
    if (count === 0) throw noSuchDeployment();
    await purgeUnusedBlobs(tx, platformAccountId);
    audit({ action: 'deletePluginDeployment', target: deploymentId, before: { pluginId, version, mounts } });
    return { id: deploymentId, deleted: true as const };
  });
}
