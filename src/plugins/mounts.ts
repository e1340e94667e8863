import type { Prisma } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, NotFound } from '../kit/errors.ts';
import { write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { instanceAtStore } from './instances.ts';
import type { MountPluginInstanceInput, UnmountPluginInstanceInput } from './instances-schema.ts';
import { lockPlugins, type MountRow } from './plugin-records.ts';

const mountsOfInstanceMax = 20;
const mountsOfStoreMax = 200;

/** Where an instance is served from now on. */
export interface MountedInstance extends MountRow {
  ok: true;
  deploymentInstanceId: string;
}

/** Serves an instance at an address of its store. There already: nothing changes. Another one there: 409, or with force it gives way. */
export async function mountPluginInstance(
  context: KeyContext,
  { deploymentInstanceId, storeId, alias, basePath, force }: typeof MountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'mountPluginInstance', async ({ tx, now, audit }) => {
    const found = await instanceAtStore(context, tx, storeId, deploymentInstanceId);
    const { partnerId, platformAccountId, mode } = found;
    await lockPlugins(tx, platformAccountId);
    await instanceAtStore(context, tx, storeId, deploymentInstanceId);
    const place = { storeId, alias, basePath };
    const taken = await tx.pluginMount.findUnique({ where: { storeId_alias_basePath: place } });
    if (taken?.deploymentInstanceId === deploymentInstanceId) return mounted(taken);
    if (taken && !force)
      throw new Conflict(
        'base_path_conflict',
        `Another plugin instance is mounted at ${alias} with the base path ${basePath}: unmount it, or say force.`,
      );
    await assertRoom(tx, storeId, deploymentInstanceId, taken !== null);
    const mount = await tx.pluginMount.upsert({
      where: { storeId_alias_basePath: place },
      create: { ...place, partnerId, platformAccountId, mode, deploymentInstanceId, createdAt: now },
      update: { deploymentInstanceId, createdAt: now },
    });
    audit({
      action: 'mountPluginInstance',
      target: deploymentInstanceId,
      before: taken && { deploymentInstanceId: taken.deploymentInstanceId },
      after: place,
    });
    return mounted(mount);
  });
}

/** Takes an instance from an address, which is 404 from now on. */
export async function unmountPluginInstance(
  context: KeyContext,
  { deploymentInstanceId, storeId, alias, basePath }: typeof UnmountPluginInstanceInput.$inferInput,
): Promise<MountedInstance> {
  await storeOf(context, storeId);
  return write(context, 'unmountPluginInstance', async ({ tx, audit }) => {
    const { platformAccountId } = await instanceAtStore(context, tx, storeId, deploymentInstanceId);
    await lockPlugins(tx, platformAccountId);
    const place = { storeId, alias, basePath };
    const mount = await tx.pluginMount.findFirst({ where: { ...place, deploymentInstanceId } });
    if (!mount) throw new NotFound('The plugin instance is not mounted there.');
    await tx.pluginMount.delete({ where: { storeId_alias_basePath: place } });
    audit({ action: 'unmountPluginInstance', target: deploymentInstanceId, before: place });
    return mounted(mount);
  });
}

function mounted({
  storeId,
  alias,
  basePath,
  createdAt,
  deploymentInstanceId,
}: MountRow & { deploymentInstanceId: string }): MountedInstance {
  return { ok: true, deploymentInstanceId, storeId, alias, basePath, createdAt };
}

async function assertRoom(
  tx: Prisma.TransactionClient,
  storeId: string,
  deploymentInstanceId: string,
  replaces: boolean,
): Promise<void> {
  if ((await tx.pluginMount.count({ where: { deploymentInstanceId } })) >= mountsOfInstanceMax)
    throw new Conflict(
      'limit_reached',
      `A plugin instance has at most ${mountsOfInstanceMax} mounts: unmount it elsewhere first.`,
    );
  if (!replaces && (await tx.pluginMount.count({ where: { storeId } })) >= mountsOfStoreMax)
    throw new Conflict('limit_reached', `A store has at most ${mountsOfStoreMax} mounts: unmount something first.`);
}

/** The address of a mount, or of a page below it. */
export function mountUrl(
  publicUrl: string,
  { storeId, alias, basePath }: Pick<MountRow, 'storeId' | 'alias' | 'basePath'>,
  pagePath = '/',
): string {
  return `${publicUrl}/p/${storeId}/${alias}${basePath === '/' ? '' : basePath}${pagePath}`;
}
