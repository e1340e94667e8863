import { tenantOf } from '../../../auth/tenancy.ts';
import type { KeyContext } from '../../../call/context.ts';
import { constant, type Sql, sql } from '../../../database/sql.ts';
import { type Event, Prisma, type WebhookDelivery } from '../../../generated/prisma/client.ts';
import { Conflict } from '../../../lib/errors.ts';
import type { EndpointRow } from '../endpoints/rows.ts';
import { notLeased } from './lease.ts';

export interface AttemptRow {
  at: string;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  responseHeaders: { name: string; value: string }[] | null;
  error: string | null;
  /** Of the delivery. */
  eventId: string;
  testClockId: string | null;
}

export type DeliveryRow = WebhookDelivery & { attempts: AttemptRow[] };

/**
 * A delivery that was sent many times is returned with its latest attempts only, because answers of receivers are
 * large.
 */
const attemptsShownMax = 50;

/** The column `attempts` of a delivery `t`. */
export const attemptsColumn = sql`coalesce((
  SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number)
  FROM (
    SELECT
      a.number, a.at, a.status, a."durationMs", a."responseBody", a."responseHeaders", a.error,
      t."eventId", t."testClockId"
    FROM webhook_attempts a
    WHERE a."deliveryId" = t.id
    ORDER BY a.number DESC
    LIMIT ${constant(attemptsShownMax)}
  ) a
), '[]') AS attempts`;

/**
 * Makes the deliveries that match `condition` pending, with the schedule from its start. A delivery in flight is
 * skipped, since only its sender may record the result.
 */
export function redeliver(condition: Sql, now: Date): Sql {
  return sql`
UPDATE webhook_deliveries t
SET
  status = 'pending',
  "nextAttemptAt" = coalesce((SELECT c.now FROM test_clocks c WHERE c.id = t."testClockId"), ${now}),
  "leasedUntil" = NULL,
  "failureCount" = 0
WHERE ${notLeased(now)} AND ${condition}`;
}

export function assertEnabled({ enabled }: EndpointRow): void {
  if (!enabled) throw new Conflict('invalid_state', 'The webhook endpoint is disabled: enable it first.');
}

/** The event of a test. An endpoint that receives the events of all accounts belongs to none. */
export type TestEvent = Omit<Event, 'platformAccountId'> & { platformAccountId: string | null };

/** The `webhook/test` event with this id, which exists as long as its delivery; null if there is none. */
export async function findTestEvent(
  { caller, services }: Pick<KeyContext, 'caller' | 'services'>,
  eventId: string,
): Promise<TestEvent | null> {
  const delivery = await services.prisma.webhookDelivery.findFirst({
    where: { ...tenantOf(caller), eventId, testBody: { not: Prisma.DbNull } },
  });
  if (!delivery) return null;
  const { partnerId, mode, testClockId } = delivery;
  const body = delivery.testBody as Omit<TestEvent, 'createdAt'> & { createdAt: string }; // as it was sent
  return { ...body, partnerId, mode, testClockId, objectId: eventId, createdAt: new Date(body.createdAt) };
}
