import { servedModes } from '../../auth/sandbox.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import type { ActorContext } from './actor-context.ts';
import { leaseMs, runSubscription } from './run-subscription.ts';

const batchMax = 50;
const atOnce = 4;

/** Renews, retries, announces and ends subscriptions that are due in real time. Test clocks run their own. */
export async function runDueSubscriptions(services: Services, stopping: AbortSignal = never): Promise<number> {
  for (let done = 0; ; ) {
    const leased = await leaseDue(services, services.clock.now());
    const waiting = [...leased];
    done += leased.length;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let id = waiting.pop(); id !== undefined && !stopping.aborted; id = waiting.pop()) {
          const subscriptionId = id;
          // The job finds it again when the lease has expired. One failure does not stop the others.
          await runSubscription(jobOf(services), id).catch((error: unknown) =>
            services.log.warn({ err: error, subscriptionId }, 'A subscription could not be run. It will run again.'),
          );
        }
      }),
    );
    if (leased.length === batchMax && !stopping.aborted) continue;
    for (const id of await findLeftOnTestClocks(services)) await runSubscription(jobOf(services), id);
    return done;
  }
}

const never = new AbortController().signal;

/** Leased subscriptions become due again later, so that other processes leave them alone until then. */
async function leaseDue({ pool, config }: Services, now: Date): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    pool,
    sql`
      UPDATE subscriptions
      SET "dueAt" = ${new Date(now.getTime() + leaseMs)}
      WHERE id IN (
        SELECT id
        FROM subscriptions
        WHERE "testClockId" IS NULL AND "dueAt" <= ${now} ${servedModes(config, sql`mode`)}
        ORDER BY "dueAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING id`,
  );
  return rows.map(({ id }) => id);
}

/** Charges on idle test clocks that the outcome of a payment made due, or whose process died. */
async function findLeftOnTestClocks({ pool }: Services): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    pool,
    sql`
      SELECT s.id
      FROM subscriptions s
      JOIN test_clocks c ON c.id = s."testClockId"
      WHERE s."testClockId" IS NOT NULL
        AND s."chargingSince" IS NOT NULL
        AND s."dueAt" <= c.now
        AND c.status = 'ready'
      LIMIT ${constant(batchMax)}`,
  );
  return rows.map(({ id }) => id);
}

export function jobOf(services: Services): ActorContext {
  return {
    services,
    actor: { kind: 'system', id: 'renew-subscriptions' },
    requestId: `job_renew-subscriptions_${services.clock.now().getTime()}`,
    ip: '',
  };
}
