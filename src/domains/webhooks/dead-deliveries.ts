import { type Sql, sql } from '../../database/sql.ts';
import { notLeased } from './leased-delivery.ts';

/** The assignments that mark a delivery dead. */
export const becomesDead = sql`status = 'dead', "nextAttemptAt" = NULL, "leasedUntil" = NULL`;

/**
 * Marks the open deliveries of a disabled endpoint dead. A delivery in flight ends by itself and is marked by the next
 * pass of the job.
 */
export function markDeliveriesDead(endpointId: string, real: Date): Sql {
  return sql`
UPDATE webhook_deliveries t
SET ${becomesDead}
WHERE t."endpointId" = ${endpointId}
  AND t."nextAttemptAt" IS NOT NULL
  AND ${notLeased(real)}`;
}
