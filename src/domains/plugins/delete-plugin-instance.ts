import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { lockPlugins } from './deployment-rows.ts';
import { instanceOf, noSuchInstance } from './instance-rows.ts';

/** Deletes an instance with its mounts and its history. */
export function deletePluginInstance(
  context: KeyContext,
  deploymentInstanceId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deletePluginInstance', async ({ tx, audit }) => {
    const { platformAccountId, deploymentId, storeId } = await instanceOf(tx, context.caller, { deploymentInstanceId });
    await lockPlugins(tx, platformAccountId);
    const { count } = await tx.pluginInstance.deleteMany({ where: { id: deploymentInstanceId } });
    if (count === 0) throw noSuchInstance();
    audit({ action: 'deletePluginInstance', target: deploymentInstanceId, before: { deploymentId, storeId } });
    return { id: deploymentInstanceId, deleted: true as const };
  });
}
