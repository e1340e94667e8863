import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isLockTimeout } from '../database/errors.ts';
import { recordset } from '../database/recordset.ts';
import { constant, empty, execute, identifier, queryRow, type Sql, sql } from '../database/sql.ts';
import { inTransaction } from '../database/transaction.ts';
import { waitsOf } from '../database/waits.ts';
import type { Keep } from '../jobs/retention.ts';
import { Conflict, DomainError, Unavailable } from '../lib/errors.ts';

/** The key of an idempotency record: its owner, operation and client key (docs/errors-and-limits.md, 7). */
export interface IdempotencyRecordKey {
  owner: string;
  operation: string;
  key: string;
  requestHash: string;
  /** The start of the call in real time, also on a test clock. The retention of the answer is counted from it. */
  at: Date;
}

export interface StoredCall {
  requestHash: string;
  subjectId: string | null;
  /** Null while the first call is in progress. */
  answer: unknown;
}

/** How long a call of several steps counts as in progress after the last renewal by its process. */
export const leaseS = 6;

/**
 * Claims the key for this call and returns a row if it was free. Waits for another transaction that is claiming it.
 * `from` names a CTE that must have found a row; `answer` is set if the same statement has the whole effect. Leaves
 * `runsUntil` null: the outcome of the first call is known from what it has committed.
 */
export function claimPart(
  { owner, operation, key, requestHash, at }: IdempotencyRecordKey,
  subjectId: string | null,
  { from, answer }: { from?: string; answer?: string } = {},
): Sql {
  const source = from === undefined ? empty : sql`FROM ${identifier(from)}`;
  return sql`
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt", answer)
    SELECT ${owner}::text, ${operation}::text, ${key}::text, ${requestHash}::text, ${subjectId}::text,
      ${at}::timestamptz, ${answer ?? null}::json
    ${source}
    ON CONFLICT DO NOTHING
    RETURNING 1 AS claimed`;
}

/** The columns of a recordset of calls of which `claimsPart` claims the keys. A call without a key has nulls. */
export const claimColumns = { owner: 'text', operation: 'text', key: 'text', requestHash: 'text', at: 'timestamptz' };

/**
 * As `claimPart`, for the calls of the CTE `from` that have a key. Returns the subjects whose keys were free; with
 * `mustBeFree`, a key that is not free is a unique violation. All batches claim in the same order, so that no two of
 * them wait for each other.
 */
export function claimsPart(from: string, { mustBeFree = false } = {}): Sql {
  return sql`
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt")
    SELECT owner, operation, key, "requestHash", "subjectId", at
    FROM ${identifier(from)}
    WHERE key IS NOT NULL
    ORDER BY owner, operation, key
    ${mustBeFree ? empty : sql`ON CONFLICT DO NOTHING`}
    RETURNING "subjectId"`;
}

/** Claims the key for a call of several steps, with a lease. */
export function leasePart(
  { owner, operation, key, requestHash, at }: IdempotencyRecordKey,
  subjectId: string | null = null,
): Sql {
  return sql`
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt", "runsUntil")
    SELECT ${owner}::text, ${operation}::text, ${key}::text, ${requestHash}::text, ${subjectId}::text,
      ${at}::timestamptz, ${leaseEnd}
    ON CONFLICT DO NOTHING
    RETURNING 1 AS claimed`;
}

/**
 * The operation under which the answer of a call is stored that begins with a change of rows. The change itself is
 * stored under `operation`.
 */
export function answerOperation(operation: string): string {
  return `${operation}${answerSuffix}`;
}

const answerSuffix = ':answer';

/** The end of a lease that begins now, by the database's clock, since other processes check whether it has ended. */
export const leaseEnd: Sql = sql`clock_timestamp() + make_interval(secs => ${constant(leaseS)})`;

/** Stores the answer of a call, once: a stored answer never changes. */
export function answerPart(
  { owner, operation, key }: Pick<IdempotencyRecordKey, 'owner' | 'operation' | 'key'>,
  answer: string,
): Sql {
  return sql`
    UPDATE idempotency_records
    SET answer = ${answer}::json, "runsUntil" = NULL
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key} AND answer IS NULL`;
}

const answerColumns = { subjectId: 'text', answer: 'json' };

/**
 * Stores the answers of the calls in progress whose idempotency records name these subjects. `guard` names a CTE with
 * the ids of those that changed.
 */
export function answersRunning(answers: readonly { subjectId: string; answer: unknown }[], guard?: string): Sql {
  const rows = recordset('n', answerColumns, 'subjectId', answers);
  return sql`
    UPDATE idempotency_records t
    SET answer = n.answer
    FROM ${
      guard === undefined
        ? rows
        : sql`${identifier(guard)} g
    JOIN ${rows} ON n."subjectId" = g.id`
    }
    WHERE t."subjectId" = n."subjectId" AND t.answer IS NULL`;
}

export function releaseKey({ owner, operation, key }: IdempotencyRecordKey): Sql {
  return sql`
    DELETE FROM idempotency_records
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key} AND answer IS NULL`;
}

/** Earlier versions had no leases: calls that they left without an answer are continued. */
export function takeOver({ owner, operation, key }: IdempotencyRecordKey): Sql {
  return sql`
    UPDATE idempotency_records
    SET "runsUntil" = ${leaseEnd}
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}
      AND answer IS NULL AND ("runsUntil" IS NULL OR "runsUntil" <= clock_timestamp())`;
}

/** A lease that has ended is not extended: another process may have taken over the call. */
export function setLease({ owner, operation, key }: IdempotencyRecordKey, until: Sql): Sql {
  return sql`
    UPDATE idempotency_records
    SET "runsUntil" = ${until}
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}
      AND answer IS NULL AND "runsUntil" > clock_timestamp()`;
}

export function readCall({ owner, operation, key }: IdempotencyRecordKey): Sql {
  return sql`
    SELECT "requestHash", "subjectId", answer
    FROM idempotency_records
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}`;
}

/** Rejects a key that was used with another body. */
export function assertSameRequest(call: StoredCall, recordKey: IdempotencyRecordKey): void {
  if (call.requestHash === recordKey.requestHash) return;
  throw new Conflict(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different request. Use a new key for a new request.',
  );
}

/** Whether the error is that of a key which was used with another body. */
export function isReuse(error: unknown): boolean {
  return error instanceof Conflict && error.data['reason'] === 'idempotency_key_reused';
}

/** Whether the error is about the key itself: it is in use, or was used with another body. */
export function isAboutKey(error: unknown): boolean {
  return isReuse(error) || (error instanceof Conflict && error.data['reason'] === 'idempotency_key_in_use');
}

export function inUse(): Conflict {
  return new Conflict(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is in progress. Retry in a moment.',
  );
}

/** How often a repeat checks whether the first call has ended. */
const pollMs = 50;

/** The answer of an earlier call with this key. Waits up to two seconds for one in progress, then throws 409. */
export async function awaitStoredCall(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<unknown> {
  const call = await findStoredCall(pool, recordKey);
  if (!call) throw inUse();
  return call.answer;
}

/** The earlier call with this key, or null if there was none. Waits as `awaitStoredCall` does. */
export async function findStoredCall(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<StoredCall | null> {
  for (const until = performance.now() + waitsOf(pool).runningCallMs; ; await delay(pollMs)) {
    const call = await lookUpCall(pool, recordKey);
    if (!call) return null;
    if (call.answer !== null) return call;
    if (performance.now() >= until) throw inUse();
  }
}

/** The earlier call with this key, without waiting. Throws if its request was another. */
export async function lookUpCall(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<StoredCall | undefined> {
  const call = await queryRow<StoredCall>(pool, readCall(recordKey)).catch(lookUpFailed);
  if (call) assertSameRequest(call, recordKey);
  return call;
}

/** A look-up that fails says nothing about the call: it is neither "no such call" nor an error of this one. */
export function lookUpFailed(cause: unknown): never {
  throw new Unavailable('unknown', { hasKey: true, cause });
}

/** Answers are kept for at least a day; one hour more covers clocks that differ. */
const retentionMs = 25 * 3_600_000;

const inFlight = sql`
  SELECT 1
  FROM transactions t
  WHERE t.status = 'processing'`;

/**
 * A record without an answer belongs to a call whose process stopped, or whose charge has no known outcome. It is kept
 * while a transaction of its payment, or of a period of its subscription, is in flight, since a repeat must not have a
 * second effect; without one it can no longer be completed. The change with which such a call began is kept as long as
 * the call.
 */
export const idempotencyRecordsKept: Keep = {
  table: sql`idempotency_records`,
  by: sql`"createdAt"`,
  forMs: retentionMs,
  onlyIf: sql`
    CASE
      WHEN answer IS NOT NULL THEN NOT EXISTS (
        SELECT 1
        FROM idempotency_records a
        WHERE a.owner = idempotency_records.owner
          AND a.operation = idempotency_records.operation || ${answerSuffix}::text
          AND a.key = idempotency_records.key
          AND a.answer IS NULL
      )
      ELSE NOT EXISTS (${inFlight} AND (t.id = "subjectId" OR t."paymentId" = "subjectId"))
      AND NOT EXISTS (
        SELECT 1
        FROM subscription_periods p
        WHERE p."subscriptionId" = "subjectId" AND EXISTS (${inFlight} AND t."paymentId" = p."paymentId")
      )
    END`,
};

/** What replaying the first answer of a call needs. */
export interface ReplayContext {
  services: { pool: pg.Pool };
  /** Set if the result is a stored answer. */
  answer: { replayed: boolean };
}

/**
 * Runs a call that reads before it claims its key. If it is rejected because of what it reads, the first call with the
 * key decides: whatever has changed since, a repeat gets the answer of the first call, or 409 while that is in
 * progress. The look-up is made only after a rejection, so that other calls do not pay for it. `answerOf` makes the
 * result from the stored answer.
 */
export async function withReplay<Result>(
  context: ReplayContext,
  recordKey: IdempotencyRecordKey | null,
  run: () => Result | Promise<Result>,
  answerOf: (stored: unknown) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const earlier = recordKey && (await findFirstCall(context.services.pool, recordKey, error));
    if (!earlier) throw error;
    const result = await answerOf(earlier.answer);
    context.answer.replayed = true;
    return result;
  }
}

/**
 * The first call with the key of a call that was rejected; null if there was none. Null also if its request was
 * another: an error of this call itself has precedence over that conflict (docs/errors-and-limits.md, 5).
 */
export async function findFirstCall(
  pool: pg.Pool,
  recordKey: IdempotencyRecordKey,
  refusal: unknown,
): Promise<StoredCall | null> {
  if (!(refusal instanceof DomainError) || refusal instanceof Unavailable || isAboutKey(refusal)) return null;
  try {
    const known = await findStoredCall(pool, recordKey);
    if (known || (await isFree(pool, recordKey))) return known;
    return await findStoredCall(pool, recordKey);
  } catch (conflict) {
    if (isReuse(conflict)) return null;
    throw conflict;
  }
}

/**
 * Whether no transaction, committed or open, holds this idempotency key. The claim of an open one is not visible, but a
 * claim of the same key waits for it.
 */
async function isFree(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '${waitsOf(pool).runningCallMs}ms'`);
      if ((await execute(client, claimPart(recordKey, null))) === 0) return false;
      await execute(client, releaseKey(recordKey));
      return true;
    });
  } catch (error) {
    throw isLockTimeout(error) ? inUse() : lookUpFailed(error);
  }
}
