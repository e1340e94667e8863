import type { Config } from '../../runtime/config.ts';
import { shownData } from '../subscriptions/public.ts';
import type { EventRow } from './leased-delivery.ts';

interface Sent {
  eventId: string;
  /** The body of a test event, which has no row. */
  testBody: unknown;
  event: EventRow | null;
}

/**
 * The event as GET /events/:eventId answers it. The bytes are the same at every attempt, and whenever they are shown;
 * people are shown no links that open a page.
 */
export function bodyOf(
  config: Pick<Config, 'publicUrl' | 'fingerprintKey'>,
  { event, testBody, eventId }: Sent,
  { withLinks }: { withLinks: boolean } = { withLinks: true },
): string {
  if (testBody) return JSON.stringify(testBody);
  if (event === null) throw new Error(`There is no event ${eventId}.`);
  return JSON.stringify(eventObject({ ...event, data: shownData(config, event.data, { withLinks }) }));
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
