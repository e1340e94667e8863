import type { ApiKeyCaller } from '../../auth/caller.ts';
import { tenantOf } from '../../auth/tenancy.ts';
import type { PluginInstance, PluginMount, Prisma, Store } from '../../generated/prisma/client.ts';
import type { JsonObject } from '../../graph/builder.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, NotFound } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import { addConfiguration } from './add-configuration.ts';
import type { DeploymentRow } from './deployment-rows.ts';

/** A mount of an instance. The list of instances reads it as JSON, in which `createdAt` is a string. */
export type MountRow = Pick<PluginMount, 'storeId' | 'alias' | 'basePath'> & { createdAt: Date | string };

export type InstanceRow = PluginInstance & { version: string; mounts: MountRow[] };

/** The columns of an instance that are stored in other tables. */
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

/** Returns an instance that is visible to the caller and, if a store is given, belongs to it. */
export async function instanceOf(
  database: Pick<Prisma.TransactionClient, 'pluginInstance'>,
  caller: ApiKeyCaller,
  { deploymentInstanceId, storeId }: { deploymentInstanceId: string; storeId?: string },
): Promise<PluginInstance> {
  const instance = await database.pluginInstance.findFirst({
    where: { ...tenantOf(caller), id: deploymentInstanceId, ...(storeId !== undefined && { storeId }) },
  });
  if (!instance) throw noSuchInstance();
  return instance;
}

const instancesMax = 1_000;

/** Adds an instance. The caller holds the lock of the account (`lockPlugins`). */
export async function addInstance(
  { actor }: Pick<KeyContext, 'actor'>,
  { tx, now, audit }: Write,
  store: Store,
  deployment: DeploymentRow,
  { name, config }: { name: string; config: JsonObject },
): Promise<InstanceRow> {
  const { id: storeId, partnerId, platformAccountId, mode } = store;
  const { id: deploymentId, pluginId } = deployment;
  if ((await tx.pluginInstance.count({ where: { platformAccountId } })) >= instancesMax)
    throw new Conflict('limit_reached', `An account has at most ${instancesMax} plugin instances: delete one first.`);
  const instance = await tx.pluginInstance.create({
    data: {
      id: newId('pin_', now),
      partnerId,
      platformAccountId,
      mode,
      storeId,
      deploymentId,
      pluginId,
      name,
      config: config as Prisma.InputJsonObject, // received as JSON
      configVersion: 1,
      createdAt: now,
      updatedAt: now,
    },
    include: instanceParts,
  });
  await addConfiguration(tx, instance, actor, now, { config, reason: 'created' });
  audit({ action: 'createPluginInstance', target: instance.id, after: { deploymentId, storeId } });
  return instanceRow(instance);
}

export function noSuchInstance(): NotFound {
  return new NotFound('There is no such plugin instance.');
}
