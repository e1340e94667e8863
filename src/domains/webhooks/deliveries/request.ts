import { isApiKey } from '../../../auth/caller.ts';
import type { Context } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import { linkedRows } from '../../../graph/linked-rows.ts';
import type { Config } from '../../../settings/config.ts';
import { platformVersion } from '../../../settings/packages.ts';
import { withLinkUrls } from '../../subscriptions/public.ts';
import type { EventRow } from './lease.ts';
import type { AttemptRow, DeliveryRow } from './rows.ts';

interface Sent {
  eventId: string;
  /** The body of a test event, which has no row. */
  testBody: unknown;
  event: EventRow | null;
}

/**
 * The event as GET /events/:eventId returns it. The bytes are the same for every attempt, and whenever they are shown;
 * users see no links that grant access to a page.
 */
export function bodyOf(
  config: Pick<Config, 'publicUrl' | 'fingerprintKey'>,
  { event, testBody, eventId }: Sent,
  { withLinks }: { withLinks: boolean } = { withLinks: true },
): string {
  if (testBody) return JSON.stringify(testBody);
  if (event === null) throw new Error(`There is no event ${eventId}.`);
  return JSON.stringify(eventObject({ ...event, data: withLinkUrls(config, event.data, { withLinks }) }));
}

function eventObject(event: EventRow): object {
  const { id, type, createdAt, mode, platformAccountId, storeId, sequence, requestId, data } = event;
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    livemode: mode === 'live',
    platformAccountId,
    storeId,
    sequence,
    requestId,
    data,
  };
}

/** The headers of every request to a receiver. */
export const contentHeaders = {
  'Content-Type': 'application/json',
  'User-Agent': `partner-payments-platform/${platformVersion()}`,
} as const;

/** A header of a request or an answer. */
export interface Header {
  name: string;
  value: string;
}

/** The body that was sent, built from the event again: events never change, so it is not stored with each delivery. */
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

/** The headers of an attempt. The signature is not shown: anyone who has it could send the request again. */
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
