import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { findEndpoint, hidden, type IssuedEndpointRow } from './endpoint-rows.ts';
import { encryptSigningSecret, newSigningSecret } from './signing.ts';

/** How long the previous secret signs beside the new one. */
const rotationMs = 24 * 3_600_000;

/** Replaces the secret of an endpoint. The previous secret signs as well for a day, while the receiver changes over. */
export async function rotateWebhookSecret(context: KeyContext, webhookId: string): Promise<IssuedEndpointRow> {
  return write(
    context,
    'rotateWebhookSecret',
    async ({ tx, now, audit }) => {
      await findEndpoint(context, tx, webhookId);
      // Locked, so that two rotations at once do not keep the same secret as the previous one.
      const [{ secret: previousSecret } = { secret: null }] = await tx.$queryRaw<{ secret: string | null }[]>(sql`
        SELECT secret FROM webhook_endpoints WHERE id = ${webhookId} FOR NO KEY UPDATE`);
      const secret = newSigningSecret();
      const previousSecretUntil = new Date(now.getTime() + rotationMs);
      const data = {
        secret: encryptSigningSecret(context.services.config, webhookId, secret),
        previousSecret,
        previousSecretUntil,
        updatedAt: now,
      };
      const endpoint = await tx.webhookEndpoint.update({ where: { id: webhookId }, data, omit: hidden });
      const after = { previousSecretUntil };
      for (const row of auditsOnBehalf(context, webhookId, null, after)) audit(row);
      if (!context.onBehalf) audit({ action: 'rotateWebhookSecret', target: webhookId, after });
      return { ...endpoint, secret };
    },
    { forReplay: (endpoint) => ({ ...endpoint, secret: null }) },
  );
}
