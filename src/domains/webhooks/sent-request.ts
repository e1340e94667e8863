import { isApiKey } from '../../auth/caller.ts';
import { sql } from '../../database/sql.ts';
import type { Context } from '../../graph/context.ts';
import { linkedRows } from '../../graph/linked-rows.ts';
import type { AttemptRow, DeliveryRow } from './delivery-rows.ts';
import { bodyOf } from './event-body.ts';
import type { EventRow } from './leased-delivery.ts';
import { contentHeaders } from './request-headers.ts';

/** A header of a request or an answer. */
export interface Header {
  name: string;
  value: string;
}

/**
 * The body that is sent, made of the event again: events never change, so it need not be stored beside each delivery.
 */
export async function requestBodyOf(context: Context, { eventId, testBody }: DeliveryRow): Promise<string> {
  const { config } = context.services;
  if (testBody) return bodyOf(config, { eventId, testBody, event: null });
  const [row] = await linkedRows<{ event: EventRow }>(context, sentEvents, eventId);
  return bodyOf(config, { eventId, testBody, event: row?.event ?? null }, { withLinks: isApiKey(context.caller) });
}

const sentEvents = {
  name: 'events as they are sent',
  statement: (ids: readonly string[]) => sql`
    SELECT to_jsonb(e) AS event, e.id AS "linkedTo"
    FROM events e
    WHERE e.id = ANY(${[...ids]})`,
};

/** The headers of an attempt. The signature is not shown: who has it could send the request once more. */
export function requestHeadersOf({ at, eventId, testClockId }: AttemptRow): Header[] {
  const headers = {
    ...contentHeaders,
    'webhook-id': eventId,
    // On a test clock the time of the attempt is not that of the signature.
    ...(testClockId === null && { 'webhook-timestamp': String(Math.floor(new Date(at).getTime() / 1000)) }),
    'webhook-signature': '[redacted]',
  };
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
