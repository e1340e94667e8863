import { loadavg } from 'node:os';
import type pg from 'pg';
import { startReceiver } from '../support/receiver.ts';
import { printTable } from './table.ts';
import type { BigTenant } from './tenants.ts';

/** What a day's retention removes each second of the run is what the run adds: the tables are in their steady state. */
const perSecond = 10;
const keptHours = 24;

interface Sample {
  relation: string;
  dead: number;
  bytes: number;
  vacuums: number;
  /** Percent of the updates that wrote no index. */
  hot: number;
}

interface Steady {
  pool: pg.Pool;
  tenant: BigTenant;
  port: number;
  minutes: number;
  /** Charges at this rate for some seconds, and resolves to their number. */
  charge(seconds: number, perSecond: number): Promise<number>;
}

/**
 * Runs charges with a webhook each at a steady rate, after a day at that rate, and prints dead rows and bytes of the
 * tables that change at the beginning, the largest numbers of them, and those at the end.
 */
export async function printSteady({ pool, tenant, port, minutes, charge }: Steady): Promise<void> {
  const receiver = await startReceiver();
  await addEndpoint(tenant, port, receiver.url);
  await addDay(pool, tenant);
  await pool.query('VACUUM ANALYZE');
  await charge(10, perSecond);
  const samples = [await sample(pool)];
  let charges = 0;
  for (let minute = 0; minute < minutes; minute++) {
    charges += await charge(60, perSecond);
    // The receiver keeps what it was sent, for tests.
    receiver.received.length = 0;
    samples.push(await sample(pool));
  }
  await receiver.close();
  console.log(
    `${charges} charges with webhooks in ${minutes} minutes, after a day of ${perSecond * 3600 * keptHours} records ` +
      `and deliveries; load average ${loadavg()[0]?.toFixed(1)}.`,
  );
  printTable(
    ['table', 'dead rows: start, most, end', 'MB: start, most, end', 'vacuums', 'HOT updates %'],
    (samples[0] ?? []).map(({ relation }) => {
      const of = samples
        .map((rows) => rows.find((row) => row.relation === relation))
        .filter((row) => row !== undefined);
      const [first, last] = [of[0], of.at(-1)];
      if (!first || !last) return [relation];
      const three = (value: (row: Sample) => number, digits: number) =>
        [value(first), Math.max(...of.map(value)), value(last)].map((number) => number.toFixed(digits)).join(', ');
      return [
        relation,
        three(({ dead }) => dead, 0),
        three(({ bytes }) => bytes / 1e6, 1),
        String(last.vacuums - first.vacuums),
        last.hot.toFixed(0),
      ];
    }),
  );
}

async function sample(pool: pg.Pool): Promise<Sample[]> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<Sample>(
    `SELECT schemaname || '.' || relname AS relation, n_dead_tup::float8 AS dead,
       pg_total_relation_size(relid)::float8 AS bytes, autovacuum_count::float8 AS vacuums,
       100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1) AS hot
     FROM pg_stat_user_tables
     WHERE n_tup_upd + n_tup_del > 0
     ORDER BY 1`,
  );
  return rows;
}

async function addEndpoint({ subKey }: BigTenant, port: number, url: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/public/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${subKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url, eventTypes: ['payment/succeeded'] }),
  });
  if (!answer.ok) throw new Error(`The endpoint was refused: ${await answer.text()}`);
}

/** A day of records and deliveries, of which as many reach their age each second as the run adds. */
async function addDay(pool: pg.Pool, { partnerId, accountId }: BigTenant): Promise<void> {
  const count = perSecond * 3600 * keptHours;
  await pool.query(
    `INSERT INTO idempotency_records (owner, operation, key, "requestHash", "createdAt", answer)
     SELECT $1, 'processPayment', 'day-' || n, repeat(md5(n::text), 2), now() - interval '25 hours' + n * $2::float8 * interval '1 second',
       json_build_object('paymentId', 'pay_' || n, 'text', repeat('x', 300))
     FROM generate_series(1, $3) n`,
    [accountId, 1 / perSecond, count],
  );
  await pool.query(
    `INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "attemptCount", "createdAt")
     SELECT 'whd_day' || lpad(n::text, 9, '0'), w."partnerId", w."platformAccountId", w.mode, w.id, 'evt_day' || n, 'payment/succeeded', 'pay_day' || n, 2,
       'delivered', 1, now() - interval '7 days' + n * $2::float8 * interval '1 second'
     FROM generate_series(1, $3) n, webhook_endpoints w
     WHERE w."partnerId" = $1`,
    [partnerId, 1 / perSecond, count],
  );
  await pool.query(
    `INSERT INTO webhook_attempts ("deliveryId", number, at, status, "durationMs")
     SELECT id, 1, "createdAt", 200, 5
     FROM webhook_deliveries
     WHERE id LIKE 'whd_day%'`,
  );
}
