import type { Prisma } from '../../generated/prisma/client.ts';
import { Conflict } from '../../kit/errors.ts';
import type { MountRow } from './instance-rows.ts';

/** A mount as its operations return it. */
export interface MountedInstance extends MountRow {
  ok: true;
  deploymentInstanceId: string;
}

export function mountedInstance({
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
export async function assertMountLimits(
  tx: Prisma.TransactionClient,
  { storeId, deploymentInstanceId, replaces }: { storeId: string; deploymentInstanceId: string; replaces: boolean },
): Promise<void> {
  if ((await tx.pluginMount.count({ where: { deploymentInstanceId } })) >= mountsOfInstanceMax)
    throw new Conflict(
      'limit_reached',
      `A plugin instance has at most ${mountsOfInstanceMax} mounts: unmount it elsewhere first.`,
    );
  if (!replaces && (await tx.pluginMount.count({ where: { storeId } })) >= mountsOfStoreMax)
    throw new Conflict('limit_reached', `A store has at most ${mountsOfStoreMax} mounts: unmount something first.`);
}
