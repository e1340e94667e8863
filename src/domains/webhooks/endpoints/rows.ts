import { tenantWhere } from '../../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../../auth/visibility.ts';
import { requireRow } from '../../../auth/visible.ts';
import type { TenantContext, ViewerContext } from '../../../call/context.ts';
import type { WebhookEndpoint } from '../../../generated/prisma/client.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Write } from '../../../unit-of-work/write.ts';

/** An endpoint without its secrets. */
export type EndpointRow = Omit<WebhookEndpoint, 'secret' | 'previousSecret' | 'leftUnanswered'>;
/** An endpoint with its new secret in plain text; null in the answer to a repeated call. */
export type IssuedEndpointRow = EndpointRow & { secret: string | null };

/** The columns that no answer contains. */
export const hidden = { secret: true, previousSecret: true, leftUnanswered: true } as const;

/** An endpoint that is visible to the caller, or 404. `database` is the client or a transaction. */
export async function findEndpoint(
  { tenant }: Pick<TenantContext, 'tenant'>,
  database: Pick<Write['tx'], 'webhookEndpoint'>,
  webhookId: string,
): Promise<EndpointRow> {
  const where = { ...tenant, id: webhookId, deletedAt: null };
  return requireRow(database, 'webhookEndpoint', where, { omit: hidden });
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

/** An endpoint as the graph shows it: with what the event `webhook/test` does not contain. */
export type EndpointView = EndpointObject & Pick<EndpointRow, 'partnerId' | 'failingSince' | 'lastDeliveredAt'>;

export function endpointView(endpoint: EndpointRow): EndpointView {
  const { partnerId, failingSince, lastDeliveredAt } = endpoint;
  return { ...endpointObject(endpoint), partnerId, failingSince, lastDeliveredAt };
}

/** An endpoint with its new secret; null in the answer to a repeated call. */
export interface IssuedEndpointObject extends EndpointObject {
  secret: string | null;
}

export function issuedEndpointObject(endpoint: IssuedEndpointRow): IssuedEndpointObject {
  return { ...endpointObject(endpoint), secret: endpoint.secret };
}

/** Rejects an address that belongs to a private network. */
export async function assertUrl({ services }: TenantContext, url: string): Promise<void> {
  const refusal = await services.webhookSender.refusalOf(url);
  if (refusal !== null) throw invalid('url', refusal);
}

/** The event types of a request, each once. */
export function eventTypesOf(given: readonly string[]): string[] {
  if (given.length === 0) throw invalid('eventTypes', 'must contain at least one event type');
  return [...new Set(given)];
}

export async function readWebhookEndpoint(context: ViewerContext, webhookId: string): Promise<EndpointRow> {
  const where = { ...tenantWhere(await objectVisibilityOf(context)), id: webhookId, deletedAt: null };
  return requireRow(context.services.prisma, 'webhookEndpoint', where, { omit: hidden });
}

/** The change of an endpoint by a mutation that keys and people call. */
export const endpointChange = (field: string, target: string, reason: string | null | undefined) =>
  ({ field, kind: 'webhookEndpoint', where: { deletedAt: null }, target, reason }) as const;
