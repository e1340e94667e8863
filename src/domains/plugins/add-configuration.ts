import type { PluginInstance, Prisma } from '../../generated/prisma/client.ts';
import type { JsonObject } from '../../graph/builder.ts';
import { newId } from '../../kit/ids.ts';
import type { Actor } from '../../write/records.ts';

/** A configuration to be stored, and why it becomes the live one. */
export interface ConfigurationDraft {
  config: JsonObject;
  reason: 'created' | 'updated' | 'rolledBack';
  rolledBackTo?: number;
}

/** Stores the live configuration of an instance in its history, with the actor that set it. */
export async function addConfiguration(
  tx: Prisma.TransactionClient,
  { id: deploymentInstanceId, partnerId, platformAccountId, mode, configVersion }: PluginInstance,
  actor: Actor,
  now: Date,
  { config, reason, rolledBackTo }: ConfigurationDraft,
): Promise<void> {
  await tx.pluginConfiguration.create({
    data: {
      id: newId('pcfg_', now),
      partnerId,
      platformAccountId,
      mode,
      deploymentInstanceId,
      version: configVersion,
      config: config as Prisma.InputJsonObject, // received as JSON
      reason,
      rolledBackTo: rolledBackTo ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      createdAt: now,
    },
  });
}
