import { servedModes } from '../../auth/sandbox.ts';
import { ofOthers } from '../../database/put-off.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { type Due, type Full, once, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import type { ActorContext } from './actor-context.ts';
import { leaseMs, runSubscription } from './run-subscription.ts';

const batchMax = 50;

/** Renews, retries, announces and ends subscriptions that are due in real time. Test clocks run their own. */
export async function runDueSubscriptions(services: Services, stopping: AbortSignal = never): Promise<number> {
  const run = ({ id }: Due) => runSubscription(jobOf(services), id);
  // The job finds it again when the lease has expired.
  const failed = (error: unknown, { id: subscriptionId }: Due) =>
    services.log.warn({ err: error, subscriptionId }, 'A subscription could not be run. It will run again.');
  const done = await runAtOnce({ lease: (full) => leaseDue(services, full), run, failed, stopping });
  if (!stopping.aborted) await runAtOnce({ lease: once(await findLeftOnTestClocks(services)), run, failed, stopping });
  return done;
}

const never = new AbortController().signal;

/**
 * Leased subscriptions become due again later, so that other processes leave them alone until then. One that was never
 * charged is taken to be charged at the account's first connection.
 */
function leaseDue({ pool, config, clock }: Services, full: Full): Promise<Due[]> {
  const [now, passed] = [clock.now(), clock.passed()];
  return queryRows(
    pool,
    sql`
      WITH due AS MATERIALIZED (
        SELECT s.id, s."platformAccountId", asked."processorId"
        FROM subscriptions s
        LEFT JOIN payments p ON p.id = s."latestPaymentId"
        CROSS JOIN LATERAL (
          SELECT coalesce(p."processorId", (
            SELECT c.id
            FROM processors c
            WHERE c."platformAccountId" = s."platformAccountId" AND c.enabled
            ORDER BY c."createdAt", c.id
            LIMIT 1
          )) AS "processorId"
        ) asked
        WHERE s."testClockId" IS NULL AND s."dueAt" <= ${passed} ${servedModes(config, sql`s.mode`)}
          AND ${ofOthers(full, sql`s."platformAccountId"`, sql`asked."processorId"`)}
        ORDER BY s."dueAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE OF s SKIP LOCKED
      )
      UPDATE subscriptions t
      SET "dueAt" = ${new Date(now.getTime() + leaseMs)}
      FROM due
      WHERE t.id = due.id
      RETURNING due.*`,
  );
}

/** Charges on idle test clocks that the outcome of a payment made due, or whose process died. */
function findLeftOnTestClocks({ pool }: Services): Promise<Due[]> {
  return queryRows(
    pool,
    sql`
      SELECT s.id, s."platformAccountId", NULL AS "processorId"
      FROM subscriptions s
      JOIN test_clocks c ON c.id = s."testClockId"
      WHERE s."testClockId" IS NOT NULL
        AND s."chargingSince" IS NOT NULL
        AND s."dueAt" <= c.now
        AND c.status = 'ready'
      LIMIT ${constant(batchMax)}`,
  );
}

export function jobOf(services: Services): ActorContext {
  return {
    services,
    actor: { kind: 'system', id: 'renew-subscriptions' },
    requestId: `job_renew-subscriptions_${services.clock.now().getTime()}`,
    ip: '',
  };
}
