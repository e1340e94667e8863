import { tenantOf } from '../../../auth/tenancy.ts';
import type { KeyContext } from '../../../call/context.ts';
import type { WebhookEndpoint } from '../../../generated/prisma/client.ts';
import { invalid, NotFound } from '../../../lib/errors.ts';
import type { Write } from '../../../unit-of-work/write.ts';

/** An endpoint without its secrets. */
export type EndpointRow = Omit<WebhookEndpoint, 'secret' | 'previousSecret' | 'leftUnanswered'>;
/** An endpoint with its new secret in plain text; null in the answer to a repeated call. */
export type IssuedEndpointRow = EndpointRow & { secret: string | null };

/** The columns that no answer contains. */
export const hidden = { secret: true, previousSecret: true, leftUnanswered: true } as const;

/** An endpoint that is visible to the caller, or 404. `database` is the client or a transaction. */
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

/** A webhook endpoint as the API returns it. Reads and the event `webhook/test` use the same object. */
export interface EndpointObject {
  id: string;
  url: string;
  eventTypes: string[];
  platformAccountId: string | null;
  storeId: string | null;
  description: string | null;
  ordered: boolean;
  enabled: boolean;
  disabledReason: string | null;
  rotationEndsAt: Date | null;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function endpointObject(endpoint: EndpointRow): EndpointObject {
  return {
    id: endpoint.id,
    url: endpoint.url,
    eventTypes: endpoint.eventTypes,
    platformAccountId: endpoint.platformAccountId,
    storeId: endpoint.storeId,
    description: endpoint.description,
    ordered: endpoint.ordered,
    enabled: endpoint.enabled,
    disabledReason: endpoint.disabledReason,
    rotationEndsAt: endpoint.previousSecretUntil,
    livemode: endpoint.mode === 'live',
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  };
}

/** An endpoint with its new secret; null in the answer to a repeated call. */
export interface IssuedEndpointObject extends EndpointObject {
  secret: string | null;
}

export function issuedEndpointObject(endpoint: IssuedEndpointRow): IssuedEndpointObject {
  return { ...endpointObject(endpoint), secret: endpoint.secret };
}

/** Rejects an address that belongs to a private network. */
export async function assertUrl({ services }: KeyContext, url: string): Promise<void> {
  const refusal = await services.webhookSender.refusalOf(url);
  if (refusal !== null) throw invalid('url', refusal);
}

/** The event types of a request, each once. */
export function eventTypesOf(given: readonly string[]): string[] {
  if (given.length === 0) throw invalid('eventTypes', 'must name at least one type of event');
  return [...new Set(given)];
}

export function readWebhookEndpoint(context: KeyContext, webhookId: string): Promise<EndpointRow> {
  return findEndpoint(context, context.services.prisma, webhookId);
}
