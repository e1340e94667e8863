import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { lockPlugins } from './deployment-rows.ts';
import type { UnmountPluginInstanceInput } from './instance-inputs.ts';
import { instanceOf } from './instance-rows.ts';
import { type MountedInstance, mountedInstance } from './mount-rows.ts';

export async function unmountPluginInstance(
  context: KeyContext,
  { deploymentInstanceId, storeId, alias, basePath }: typeof UnmountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'unmountPluginInstance', async ({ tx, audit }) => {
    const { platformAccountId } = await instanceOf(tx, context.caller, { deploymentInstanceId, storeId });
    await lockPlugins(tx, platformAccountId);
    const path = { storeId, alias, basePath };
    const mount = await tx.pluginMount.findFirst({ where: { ...path, deploymentInstanceId } });
    if (!mount) throw new NotFound('The plugin instance is not mounted there.');
    await tx.pluginMount.delete({ where: { storeId_alias_basePath: path } });
    audit({ action: 'unmountPluginInstance', target: deploymentInstanceId, before: path });
    return mountedInstance(mount);
  });
}
