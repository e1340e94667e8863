import type pg from 'pg';
import { isNext, leaseMs, notLeased, type TakenDelivery, takenColumns } from './delivery-statements.ts';

/** Takes what is due on one test clock by a moment of its time. Leases are real time, as everywhere. */
export async function takeDueOnClock(
  pool: pg.Pool,
  real: Date,
  { testClockId, at }: { testClockId: string; at: Date },
  max: number,
): Promise<TakenDelivery[]> {
  const { rows } = await pool.query<TakenDelivery>({
    name: 'take-due-webhooks-on-clock',
    text: dueOnClock,
    values: [real, new Date(real.getTime() + leaseMs), max, testClockId, at],
  });
  return rows;
}

/** Takes first attempts on test clocks that stand: what happens on them is told at once, and only retries wait for their time. */
export async function takeFirstOnClocks(pool: pg.Pool, real: Date, max: number): Promise<TakenDelivery[]> {
  const { rows } = await pool.query<TakenDelivery>({
    name: 'take-first-webhooks-on-clocks',
    text: firstOnClocks,
    values: [real, new Date(real.getTime() + leaseMs), max],
  });
  return rows;
}

const take = (which: string) => `WITH due AS MATERIALIZED (
  SELECT t.id FROM webhook_deliveries t JOIN webhook_endpoints w ON w.id = t."endpointId" AND w.enabled JOIN test_clocks c ON c.id = t."testClockId"
  WHERE t."testClockId" IS NOT NULL AND t."nextAttemptAt" IS NOT NULL AND ${notLeased('t')} AND ${which} AND ${isNext}
  ORDER BY t."nextAttemptAt", t.id LIMIT $3 FOR UPDATE OF t SKIP LOCKED
)
UPDATE webhook_deliveries t SET "leasedUntil" = $2 FROM due JOIN webhook_deliveries d ON d.id = due.id JOIN webhook_endpoints w ON w.id = d."endpointId" LEFT JOIN events e ON e.id = d."eventId"
LEFT JOIN test_clocks c ON c.id = d."testClockId" WHERE t.id = due.id RETURNING ${takenColumns}, c.now AS "testClockNow"`;

const dueOnClock = take('t."testClockId" = $4 AND t."nextAttemptAt" <= $5');
const firstOnClocks = take(`t."failureCount" = 0 AND c.status <> 'advancing'`);
