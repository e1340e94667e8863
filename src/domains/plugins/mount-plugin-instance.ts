import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { lockPlugins } from './deployment-rows.ts';
import type { MountPluginInstanceInput } from './instance-inputs.ts';
import { instanceOf } from './instance-rows.ts';
import { assertMountLimits, type MountedInstance, mountedInstance } from './mount-rows.ts';

/**
 * Serves an instance at a path of its store. A mount that exists already is returned unchanged; one of another instance
 * is replaced with `force` and otherwise 409.
 */
export async function mountPluginInstance(
  context: KeyContext,
  { deploymentInstanceId, storeId, alias, basePath, force }: typeof MountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'mountPluginInstance', async ({ tx, now, audit }) => {
    const asked = { deploymentInstanceId, storeId };
    const { partnerId, platformAccountId, mode } = await instanceOf(tx, context.caller, asked);
    await lockPlugins(tx, platformAccountId);
    // It may have been deleted before the lock was granted.
    await instanceOf(tx, context.caller, asked);
    const path = { storeId, alias, basePath };
    const taken = await tx.pluginMount.findUnique({ where: { storeId_alias_basePath: path } });
    if (taken?.deploymentInstanceId === deploymentInstanceId) return mountedInstance(taken);
    if (taken && !force)
      throw new Conflict(
        'base_path_conflict',
        `Another plugin instance is mounted at ${alias} with the base path ${basePath}: unmount it, or say force.`,
      );
    await assertMountLimits(tx, { ...asked, replaces: taken !== null });
    const mount = await tx.pluginMount.upsert({
      where: { storeId_alias_basePath: path },
      create: { ...path, partnerId, platformAccountId, mode, deploymentInstanceId, createdAt: now },
      update: { deploymentInstanceId, createdAt: now },
    });
    audit({
      action: 'mountPluginInstance',
      target: deploymentInstanceId,
      before: taken && { deploymentInstanceId: taken.deploymentInstanceId },
      after: path,
    });
    return mountedInstance(mount);
  });
}
