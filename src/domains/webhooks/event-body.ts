import type { EventRow } from './leased-delivery.ts';

interface Sent {
  eventId: string;
  /** The body of a test event, which has no row. */
  testBody: unknown;
  event: EventRow | null;
}

/**
 * The event as GET /events/:eventId answers it. The bytes are the same at every attempt, and whenever they are shown.
 */
export function bodyOf({ event, testBody, eventId }: Sent): string {
  if (testBody) return JSON.stringify(testBody);
  if (event === null) throw new Error(`There is no event ${eventId}.`);
  return JSON.stringify(eventObject(event));
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
