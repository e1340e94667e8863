import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { perhapsDoneIfUnavailable, withOutageRetry } from '../database/outage-retry.ts';
import { execute, type Sql, sql } from '../database/sql.ts';
import { waitsOf } from '../database/waits.ts';
import { DomainError, type ErrorCode, RateLimited, Unavailable } from '../lib/errors.ts';
import { toJson } from '../lib/json.ts';
import {
  answerOperation,
  answerPart,
  type IdempotencyRecordKey,
  inUse,
  isAboutKey,
  leaseEnd,
  leasePart,
  leaseS,
  lookUpCall,
  type ReplayContext,
  type StoredCall,
} from './idempotency.ts';
import { recordKeyOf, type Write, type Writer, write } from './write.ts';

/*
 * Calls of several steps, each committed by itself, under one idempotency key. While the process of such a call lives, it
 * extends a lease on its record, so that a repeat tells a call that runs from one whose process died: beside the first it
 * waits and is 409, after the second it continues. The steps have keys or ids of their own, so that none has its effect
 * twice whoever makes it. The answer is stored once, when all of them have ended.
 */

interface InStepsOptions<Answer> {
  /** Whether the key was claimed with the first change of the call. */
  isBegun?: boolean;
  /** The part of the answer that a repeat returns. All of it if left out. */
  forReplay?: ((answer: Answer) => unknown) | undefined;
}

/**
 * Runs such a call, or returns the answer of the first. A step that is in use or that ends with 503 ends the call
 * without an answer, and a repeat continues at once.
 */
export async function runMultiStepCall<Answer>(
  context: ReplayContext,
  recordKey: IdempotencyRecordKey | null,
  run: () => Promise<Answer>,
  { isBegun = false, forReplay }: InStepsOptions<Answer> = {},
): Promise<Answer> {
  if (!recordKey) return run();
  const { pool } = context.services;
  const stored = isBegun ? null : await begin(pool, recordKey);
  if (stored) {
    context.replayed = true;
    return stored.answer as Answer; // `run` returned it in the call that stored it
  }
  // A renewal that fails is made up for by the next one.
  const renewal = setInterval(() => void renew(pool, recordKey).catch(() => {}), renewMs).unref();
  try {
    const answer = await run();
    // The steps before may be repeats of those of a call whose process died.
    context.replayed = false;
    return await store(context, recordKey, answer, forReplay);
  } catch (error) {
    // If this fails, the lease ends by itself.
    await execute(pool, isBegun || !isRefusal(error) ? endLease(recordKey) : releaseKey(recordKey)).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/**
 * As `inSteps`, for a call that begins with one change of rows. What the change returns is stored beside the answer, so
 * that whoever continues the call continues this change. `subjectOf` names the subscription whose charge it may wait for.
 */
export async function writeInSteps<Begun, Answer>(
  context: Writer & ReplayContext,
  operation: string,
  change: (write: Write) => Promise<Begun>,
  goOn: (begun: Begun) => Promise<Answer>,
  subjectOf: (begun: Begun) => string | null = () => null,
): Promise<Answer> {
  const recordKey = recordKeyOf(context, answerOperation(operation));
  const begun = await write(context, operation, change, {
    begins: (result) => recordKey && leasePart(recordKey, subjectOf(result)),
  });
  const rest = (): Promise<Answer> => perhapsDoneIfUnavailable(() => goOn(begun), { hasKey: recordKey !== null });
  return runMultiStepCall(context, recordKey, rest, { isBegun: !context.replayed });
}

/** The error of one of several effects, for its place in the answer. Throws what ends the whole call. */
export function entryErrorOf(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof DomainError) || isAboutKey(error)) throw error;
  // The effects before this one may have been made.
  if (error instanceof Unavailable || error instanceof RateLimited)
    throw new Unavailable('unknown', { hasKey: true, cause: error });
  return { code: error.code, message: error.message };
}

/** Whether nothing was done: another request may have the key. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && !(error instanceof Unavailable) && !isAboutKey(error);
}

function releaseKey({ owner, operation, key }: IdempotencyRecordKey): Sql {
  return sql`
    DELETE FROM idempotency_records
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key} AND answer IS NULL`;
}

const renewMs = (leaseS * 1_000) / 3;
const pollMs = 100;

/** Claims the key, or takes over a call whose process died; null if this call may run. */
async function begin(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<StoredCall | null> {
  for (const until = performance.now() + waitsOf(pool).runningCallMs; ; await delay(pollMs)) {
    if ((await execute(pool, leasePart(recordKey))) === 1) return null;
    const call = await lookUpCall(pool, recordKey);
    if (call && call.answer !== null) return call;
    if (call && (await execute(pool, takeOver(recordKey))) === 1) return null;
    if (performance.now() >= until) throw inUse();
  }
}

/** Servers of before have no leases: what they leave without an answer is continued. */
function takeOver({ owner, operation, key }: IdempotencyRecordKey): Sql {
  return sql`
    UPDATE idempotency_records
    SET "runsUntil" = ${leaseEnd}
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}
      AND answer IS NULL AND ("runsUntil" IS NULL OR "runsUntil" <= clock_timestamp())`;
}

function renew(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<number> {
  return execute(pool, setLease(recordKey, leaseEnd));
}

function endLease(recordKey: IdempotencyRecordKey): Sql {
  return setLease(recordKey, sql`clock_timestamp()`);
}

/** A lease that has ended is not extended: another process may have the call by now. */
function setLease({ owner, operation, key }: IdempotencyRecordKey, until: Sql): Sql {
  return sql`
    UPDATE idempotency_records
    SET "runsUntil" = ${until}
    WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}
      AND answer IS NULL AND "runsUntil" > clock_timestamp()`;
}

/** Stores the answer unless another process was faster: then its answer is that of this call. */
async function store<Answer>(
  context: ReplayContext,
  recordKey: IdempotencyRecordKey,
  answer: Answer,
  forReplay: (answer: Answer) => unknown = (whole) => whole,
): Promise<Answer> {
  const { pool } = context.services;
  return withOutageRetry({
    async run() {
      if ((await execute(pool, answerPart(recordKey, toJson(forReplay(answer))))) === 1) return answer;
      const stored = await lookUpCall(pool, recordKey);
      return stored ? (stored.answer as Answer) : answer; // stored by this function
    },
  });
}
