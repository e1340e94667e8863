import { sql } from '../../database/sql.ts';
import type { PluginInstance, Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { Write } from '../../write/write.ts';
import { addConfiguration, type ConfigurationDraft } from './add-configuration.ts';
import { type DeploymentRow, lockedDeployment } from './deployment-rows.ts';
import { instanceOf, instanceParts, instanceRow } from './instance-rows.ts';
import { instanceEvent } from './plugin-records.ts';

/** The number of configurations kept of an instance. The oldest are deleted. */
const configurationsMax = 200;

interface LockedInstance {
  instance: PluginInstance;
  deployment: DeploymentRow;
}

/**
 * Locks an instance of a store and its deployment. The deployment is locked first, so that the schema a configuration
 * is checked against does not change. The instance is read again because its row may have changed before the lock.
 */
export async function lockedInstance(
  { caller }: Pick<KeyContext, 'caller'>,
  tx: Prisma.TransactionClient,
  asked: { deploymentInstanceId: string; storeId: string },
): Promise<LockedInstance> {
  const { deploymentId } = await instanceOf(tx, caller, asked);
  const deployment = await lockedDeployment(tx, deploymentId, 'SHARE');
  await tx.$queryRaw(sql`
    SELECT id
    FROM plugin_instances
    WHERE id = ${asked.deploymentInstanceId}
    FOR NO KEY UPDATE`);
  return { instance: await instanceOf(tx, caller, asked), deployment };
}

/** Makes a configuration the live one of an instance. The caller has checked that it satisfies the schema. */
export async function replaceConfiguration(
  { actor, services }: Pick<KeyContext, 'actor' | 'services'>,
  { tx, now, event }: Write,
  { id }: PluginInstance,
  next: ConfigurationDraft,
): Promise<PluginInstance> {
  const row = await tx.pluginInstance.update({
    where: { id },
    data: {
      config: next.config as Prisma.InputJsonObject, // received as JSON
      configVersion: { increment: 1 },
      sequence: { increment: 1 },
      updatedAt: now,
    },
    include: instanceParts,
  });
  const instance = instanceRow(row);
  await addConfiguration(tx, instance, actor, now, next);
  await tx.pluginConfiguration.deleteMany({
    where: { deploymentInstanceId: id, version: { lte: instance.configVersion - configurationsMax } },
  });
  event(instanceEvent(instance, services.config.publicUrl));
  return instance;
}
