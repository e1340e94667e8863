import { empty, join, type Queryable, queryRows, type Sql, sql } from '../../database/sql.ts';
import { tokensOverSince } from '../../domains/instruments/public.ts';
import { expiredSince } from '../../iam/public.ts';
import type { Mode } from '../../lib/ids.ts';

/** Counting stops at this number. */
export const backlogMax = 1_000;

/** What is due for a job, over all processes. */
export interface DueOfJob {
  job: string;
  backlog: number;
  /** Since when the oldest due row has been due; null if none is due. */
  oldestDueAt: Date | null;
}

/**
 * What is due for the jobs whose rows are counted, or for those of them that are named, in one statement. Without a
 * mode, of both modes.
 */
export async function readDueRows(
  database: Queryable,
  now: Date,
  mode: Mode | null,
  names?: readonly string[],
): Promise<DueOfJob[]> {
  const read = dueRows(now, mode).filter(({ job }) => names?.includes(job) ?? true);
  return read.length === 0 ? [] : queryRows<DueOfJob>(database, join(read.map(statementOf), ' UNION ALL '));
}

interface DueRows {
  job: string;
  /** The time since which a row has been due. */
  since: Sql;
  rows: Sql;
}

function statementOf({ job, since, rows }: DueRows): Sql {
  return sql`
    SELECT ${job}::text AS job, count(*)::int AS backlog, min(since) AS "oldestDueAt"
    FROM (
      SELECT ${since} AS since
      ${rows}
      ORDER BY 1
      LIMIT ${backlogMax}
    ) found`;
}

/**
 * The rows that are due now, by job. Each is read from an index that contains only open rows, or begins with what is
 * due. Rows on test clocks are due by their clock and are left out.
 */
function dueRows(now: Date, mode: Mode | null): DueRows[] {
  const ofMode = mode === null ? empty : sql` AND mode = ${mode}`;
  return [
    {
      // The job asks the processor again and again: a row is due from its charge on, until the outcome is known.
      job: 'resolve-unknown-payments',
      since: sql`"createdAt"`,
      rows: sql`
        FROM transactions
        WHERE status = 'processing'${ofMode}`,
    },
    {
      job: 'expire-challenges',
      since: sql`"actionExpiresAt"`,
      rows: sql`
        FROM payments
        WHERE "subStatus" = 'requires_action' AND "actionExpiresAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'expire-authorizations',
      since: sql`"authorizationExpiresAt"`,
      rows: sql`
        FROM payments
        WHERE "subStatus" = 'authorized' AND "authorizationExpiresAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'renew-subscriptions',
      since: sql`"dueAt"`,
      rows: sql`
        FROM subscriptions
        WHERE "dueAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'retry-waiting-events',
      since: sql`coalesce("retryAt", "receivedAt")`,
      rows: sql`
        FROM unapplied_events
        WHERE status = 'waiting' AND ("retryAt" IS NULL OR "retryAt" <= ${now})${ofMode}`,
    },
    {
      job: 'deliver-webhooks',
      since: sql`"nextAttemptAt"`,
      rows: sql`
        FROM webhook_deliveries
        WHERE "nextAttemptAt" <= ${now} AND "testClockId" IS NULL${ofMode}`,
    },
    {
      job: 'follow-funnel-payments',
      since: sql`p."updatedAt"`,
      rows: sql`
        FROM funnel_orders f
        JOIN payments p ON p."orderId" = f."orderId"
        WHERE f.open AND p.status <> 'pending'
          AND NOT EXISTS (SELECT 1 FROM funnel_events e WHERE e."paymentId" = p.id)
          ${mode === null ? empty : sql`AND f.mode = ${mode}`}`,
    },
    {
      job: 'abandon-funnel-sessions',
      since: sql`"expiresAt"`,
      rows: sql`
        FROM funnel_sessions
        WHERE status = 'active' AND "expiresAt" <= ${now}${ofMode}`,
    },
    {
      job: 'advance-test-clocks',
      since: sql`"updatedAt"`,
      rows: sql`
        FROM test_clocks
        WHERE status = 'advancing'${ofMode}`,
    },
    {
      job: 'erase-deleted-cards',
      since: sql`i."eraseNumberAt"`,
      // A number whose payment may still be sent to a processor is not due.
      rows: sql`
        FROM payment_instruments i
        WHERE i."eraseNumberAt" <= ${now} AND NOT EXISTS (
          SELECT
          FROM payments p
          WHERE p."customerId" = i."customerId" AND p."paymentInstrumentId" = i.id
            AND p.status = 'pending' AND p."subStatus" IS DISTINCT FROM 'authorized'
        )${mode === null ? empty : sql` AND i.mode = ${mode}`}`,
    },
    {
      job: 'purge-unclaimed-cards',
      since: sql`"expiresAt" + (${now}::timestamptz - ${tokensOverSince(now)}::timestamptz)`,
      rows: sql`
        FROM tokens
        WHERE "expiresAt" < ${tokensOverSince(now)}${ofMode}`,
    },
    {
      job: 'expire-refund-requests',
      since: sql`"expiresAt"`,
      rows: sql`
        FROM refund_requests
        WHERE status = 'pending' AND "expiresAt" <= ${now}${ofMode}`,
    },
    {
      job: 'end-expired-invitations',
      since: sql`"invitedAt" + (${now}::timestamptz - ${expiredSince(now)}::timestamptz)`,
      rows: sql`
        FROM partner_memberships
        WHERE status = 'pending' AND "invitedAt" <= ${expiredSince(now)}`,
    },
    {
      job: 'run-pending-compensations',
      since: sql`"dueAt"`,
      rows: sql`
        FROM pending_compensations
        WHERE "dueAt" <= ${now}`,
    },
  ];
}
