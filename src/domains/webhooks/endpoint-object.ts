import type { EndpointRow, IssuedEndpointRow } from './endpoint-rows.ts';

/** A webhook endpoint as the API answers it. Reads and the event `webhook/test` use the same object. */
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
