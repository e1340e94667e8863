import type { KeyContext } from '../../graph/context.ts';
import { type EndpointRow, findEndpoint } from './endpoint-rows.ts';

export function readWebhookEndpoint(context: KeyContext, webhookId: string): Promise<EndpointRow> {
  return findEndpoint(context, context.services.prisma, webhookId);
}
