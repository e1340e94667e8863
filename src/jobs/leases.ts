import { constant, empty, execute, identifier, type Queryable, queryRows, type Sql, sql } from '../database/sql.ts';
import type { Saturated } from './run-due-rows.ts';

/**
 * Repeats a change of at most `batchMax` rows until it finds fewer, or the process stops, and returns the sum. With one
 * batch per run, a job would fall behind where rows are added faster.
 */
export async function inBatches(
  batchMax: number,
  change: () => Promise<number>,
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  for (let sum = 0; ; ) {
    const changed = await change();
    sum += changed;
    if (changed < batchMax || stopping.aborted) return sum;
  }
}

/** Larger than any clock difference between servers that run jobs, and than any wait for a lock. */
const slackMs = 60_000;

/**
 * The condition that the lease in a column has ended at `now` of the database's time. A lease that ends later than its
 * length allows was written by a clock that was ahead. It counts as ended: otherwise it would block its row for hours.
 */
export function leaseOver(until: Sql, now: Date, leaseMs: number): Sql {
  return sql`(${until} IS NULL OR ${until} <= ${now} OR ${isTooLate(until, now, leaseMs)})`;
}

/** The condition that a time is more than `mostMs` ahead, so that it was written by a clock that was ahead. */
export function isTooLate(time: Sql, now: Date, mostMs: number): Sql {
  return sql`${time} > ${new Date(now.getTime() + mostMs + slackMs)}`;
}

/*
 * Leases for jobs whose due rows have no column for a lease: a row of `limits.job_backoff`. It is deleted when the work
 * is done. Failed work backs off exponentially, so that it does not delay other work.
 */

/** Longer than a call to a processor. */
const firstPauseMs = 20_000;
const pauseMaxMs = 3_600_000;
/** A backoff that was not used for this long is deleted. */
const rememberedMs = 24 * 3_600_000;

/** The condition that the backoff of the row with this id has ended, so that the job may lease it. */
export function mayRetry(job: string, id: Sql, now: Date): Sql {
  return sql`NOT EXISTS (
    SELECT FROM limits.job_backoff o WHERE o.job = ${job} AND o.id = ${id} AND o.until > ${now}
      AND NOT ${isTooLate(sql`o.until`, now, pauseMaxMs)}
  )`;
}

/**
 * The columns of a due row that `runDueRows` needs, of the table with this alias. A row of `id` calls `processor`.
 */
export function dueColumns(alias: string, processor: Sql = sql`NULL::text`, id: Sql = identifier(`${alias}.id`)): Sql {
  const column = (name: string) => identifier(`${alias}.${name}`);
  return sql`${id} AS id, ${column('partnerId')}, ${column('platformAccountId')}, ${column('mode')},
    ${processor} AS "processorId"`;
}

/** The condition that a row does not belong to a tenant that has enough rows (`runDueRows`), with the same alias and processor. */
export function notSaturated(full: Saturated, alias: string, processor?: Sql): Sql {
  const column = (name: string) => identifier(`${alias}.${name}`);
  return sql`
    ${column('platformAccountId')} <> ALL(${full.accounts}::text[])
    AND ${column('partnerId')} || '/' || ${column('mode')} <> ALL(${full.partners}::text[])
    AND ${column('mode')} <> ALL(${full.modes}::text[])
    ${processor ? sql`AND (${processor} IS NULL OR ${processor} <> ALL(${full.processors}::text[]))` : empty}`;
}

/** Leases the rows of `due`, which has a column `id`, until their backoff ends. Other processes do not get them. */
export function claimDue<Row extends object>(database: Queryable, job: string, due: Sql, now: Date): Promise<Row[]> {
  const pauseOf = (attempts: Sql) =>
    sql`${now}::timestamptz
      + least(${constant(firstPauseMs)} * power(2, ${attempts}), ${constant(pauseMaxMs)}) * interval '1 millisecond'`;
  return queryRows<Row>(
    database,
    sql`
      WITH due AS MATERIALIZED (${due}), forgotten AS (
        DELETE FROM limits.job_backoff
        WHERE job = ${job} AND until < ${new Date(now.getTime() - rememberedMs)} AND id NOT IN (SELECT id FROM due)
      ), taken AS (
        INSERT INTO limits.job_backoff AS o (job, id, attempts, until)
        SELECT ${job}, id, 1, ${pauseOf(sql`0`)}
        FROM due
        ORDER BY id
        ON CONFLICT (job, id) DO UPDATE SET attempts = o.attempts + 1, until = ${pauseOf(sql`least(o.attempts, 20)`)}
        WHERE o.until <= ${now} OR ${isTooLate(sql`o.until`, now, pauseMaxMs)}
        RETURNING id
      )
      SELECT due.*
      FROM due
      JOIN taken ON taken.id = due.id`,
  );
}

/** Deletes the lease, since the work of the row is done. */
export async function claimedIsDone(database: Queryable, job: string, id: string): Promise<void> {
  await execute(database, sql`DELETE FROM limits.job_backoff WHERE job = ${job} AND id = ${id}`);
}

const batchMax = 10_000;

/**
 * Deletes the rows of a table that meet a condition, those with the lowest `by` first and some thousand per statement,
 * and returns their number. Locked rows are skipped, so that they do not block the others: the next run finds them.
 */
export function removeUnlocked(
  database: Queryable,
  { table, by, where }: { table: Sql; by: Sql; where: Sql },
  stopping?: AbortSignal,
): Promise<number> {
  const remove = sql`
    DELETE FROM ${table}
    WHERE ctid = ANY(ARRAY(
      SELECT ctid
      FROM ${table}
      WHERE ${where}
      ORDER BY ${by}
      LIMIT ${constant(batchMax)}
      FOR UPDATE SKIP LOCKED
    ))`;
  return inBatches(batchMax, () => execute(database, remove), stopping);
}
