import type { TenantContext } from '../../../call/context.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { Conflict, NotFound } from '../../../lib/errors.ts';
import { write } from '../../../unit-of-work/write.ts';
import { storeOf } from '../../stores/public.ts';
import { lockPlugins } from '../deployments/rows.ts';
import type { MountPluginInstanceInput, UnmountPluginInstanceInput } from './inputs.ts';
import { instanceOf, type MountRow } from './rows.ts';

/** A mount as its operations return it. */
export interface MountedInstance extends MountRow {
  ok: true;
  deploymentInstanceId: string;
}

function mountedInstance({
  storeId,
  alias,
  basePath,
  createdAt,
  deploymentInstanceId,
}: MountRow & { deploymentInstanceId: string }): MountedInstance {
  return { ok: true, deploymentInstanceId, storeId, alias, basePath, createdAt };
}

const mountsOfInstanceMax = 20;
const mountsOfStoreMax = 200;

/** A mount that replaces another one does not change the number of mounts of the store. */
async function assertMountLimits(
  tx: Prisma.TransactionClient,
  { storeId, deploymentInstanceId, replaces }: { storeId: string; deploymentInstanceId: string; replaces: boolean },
): Promise<void> {
  if ((await tx.pluginMount.count({ where: { deploymentInstanceId } })) >= mountsOfInstanceMax)
    throw new Conflict(
      'limit_reached',
      `A plugin instance has at most ${mountsOfInstanceMax} mounts: unmount it elsewhere first.`,
    );
  if (!replaces && (await tx.pluginMount.count({ where: { storeId } })) >= mountsOfStoreMax)
    throw new Conflict('limit_reached', `A store has at most ${mountsOfStoreMax} mounts: remove a mount first.`);
}

/**
 * Serves an instance at a path of its store. An existing mount of the instance is returned unchanged; one of another
 * instance is replaced with `force` and otherwise 409.
 */
export async function mountPluginInstance(
  context: TenantContext,
  { deploymentInstanceId, storeId, alias, basePath, force }: typeof MountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'mountPluginInstance', async ({ tx, now, audit }) => {
    const requested = { deploymentInstanceId, storeId };
    const { partnerId, platformAccountId, mode } = await instanceOf(tx, context.tenant, requested);
    await lockPlugins(tx, platformAccountId);
    // It may have been deleted before the lock was granted.
    await instanceOf(tx, context.tenant, requested);
    const path = { storeId, alias, basePath };
    const taken = await tx.pluginMount.findUnique({ where: { storeId_alias_basePath: path } });
    if (taken?.deploymentInstanceId === deploymentInstanceId) return mountedInstance(taken);
    if (taken && !force)
      throw new Conflict(
        'base_path_conflict',
        `Another plugin instance is mounted at ${alias} with the base path ${basePath}: unmount it, or set force.`,
      );
    await assertMountLimits(tx, { ...requested, replaces: taken !== null });
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

export async function unmountPluginInstance(
  context: TenantContext,
  { deploymentInstanceId, storeId, alias, basePath }: typeof UnmountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'unmountPluginInstance', async ({ tx, audit }) => {
    const { platformAccountId } = await instanceOf(tx, context.tenant, { deploymentInstanceId, storeId });
    await lockPlugins(tx, platformAccountId);
    const path = { storeId, alias, basePath };
    const mount = await tx.pluginMount.findFirst({ where: { ...path, deploymentInstanceId } });
    if (!mount) throw new NotFound('The plugin instance is not mounted there.');
    await tx.pluginMount.delete({ where: { storeId_alias_basePath: path } });
    audit({ action: 'unmountPluginInstance', target: deploymentInstanceId, before: path });
    return mountedInstance(mount);
  });
}
