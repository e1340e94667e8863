import { tenantOf } from '../../auth/tenancy.ts';
import type { WebhookEndpoint } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';

/** An endpoint without its secrets. */
export type EndpointRow = Omit<WebhookEndpoint, 'secret' | 'previousSecret' | 'leftUnanswered'>;
/** An endpoint with its new secret in plain text; null in the answer to a repeated call. */
export type IssuedEndpointRow = EndpointRow & { secret: string | null };

/** The columns that no answer contains. */
export const hidden = { secret: true, previousSecret: true, leftUnanswered: true } as const;

/** An endpoint that is visible to the caller, or 404. Takes the client or a transaction. */
export async function findEndpoint(
  { caller }: Pick<KeyContext, 'caller'>,
  database: Pick<Write['tx'], 'webhookEndpoint'>,
  webhookId: string,
): Promise<EndpointRow> {
  const endpoint = await database.webhookEndpoint.findFirst({
    where: { ...tenantOf(caller), id: webhookId, deletedAt: null },
    omit: hidden,
  });
  if (!endpoint) throw noSuchEndpoint();
  return endpoint;
}

export function noSuchEndpoint(): NotFound {
  return new NotFound('There is no such webhook endpoint.');
}
