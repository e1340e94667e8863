import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { markDeliveriesDead } from './dead-deliveries.ts';
import { findEndpoint } from './endpoint-rows.ts';

export async function deleteWebhookEndpoint(
  context: KeyContext,
  webhookId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteWebhookEndpoint', async ({ tx, now, audit }) => {
    await findEndpoint(context, tx, webhookId);
    await tx.webhookEndpoint.update({
      where: { id: webhookId },
      data: { deletedAt: now, enabled: false, disabledReason: 'deleted', updatedAt: now },
    });
    await tx.$executeRaw(markDeliveriesDead(webhookId, now));
    audit({ action: 'deleteWebhookEndpoint', target: webhookId });
    return { id: webhookId, deleted: true as const };
  });
}
