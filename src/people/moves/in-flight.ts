import { type Queryable, queryRow, sql } from '../../database/sql.ts';

/** What of a partner has begun and not finished: calls to processors, deliveries, advances of test clocks. */
export async function inFlightOf(database: Queryable, partnerId: string): Promise<number> {
  const row = await queryRow<{ count: number }>(
    database,
    sql`
      SELECT (
        (SELECT count(*) FROM payments WHERE "partnerId" = ${partnerId} AND "subStatus" = 'processing')
        + (SELECT count(*) FROM transactions WHERE "partnerId" = ${partnerId} AND status = 'processing')
        + (SELECT count(*) FROM webhook_deliveries WHERE "partnerId" = ${partnerId} AND "leasedUntil" > now())
        + (SELECT count(*) FROM subscriptions WHERE "partnerId" = ${partnerId} AND "chargingSince" IS NOT NULL)
        + (SELECT count(*) FROM test_clocks WHERE "partnerId" = ${partnerId} AND "drivenBy" IS NOT NULL
            AND "leasedUntil" > now())
        + (SELECT count(*) FROM limits.card_attempts a JOIN stores s ON s.id = a."storeId"
            WHERE s."partnerId" = ${partnerId} AND a.state = 'running' AND a.at > now() - interval '1 minute')
      )::int AS count`,
  );
  return row?.count ?? 0;
}
