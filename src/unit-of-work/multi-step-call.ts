import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { perhapsDoneIfUnavailable, withOutageRetry } from '../database/outage-retry.ts';
import { execute, sql } from '../database/sql.ts';
import { waitsOf } from '../database/waits.ts';
import { DomainError, type ErrorCode, Overloaded, RateLimited, Unavailable } from '../lib/errors.ts';
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
  releaseKey,
  type StoredCall,
  setLease,
  takeOver,
} from './idempotency.ts';
import { recordKeyOf, type Write, type Writer, write } from './write.ts';

/*
 * Calls of several steps, each committed separately, under one idempotency key. The process of such a call extends a
 * lease on its record. A repeat waits while the lease is valid, and is then 409; it continues the call after the lease
 * has ended, since the process has died. The steps have keys or ids of their own, so that none has its effect twice.
 * The answer is stored once, when all of them have ended.
 */

interface InStepsOptions<Answer> {
  /** Whether the key was claimed with the first change of the call. */
  isBegun?: boolean;
  /** The part of the answer that a repeat returns. Default: all of it. */
  forReplay?: ((answer: Answer) => unknown) | undefined;
}

/**
 * Runs such a call, or returns the stored answer of the first. If a step is in use or ends with 503, the call ends
 * without an answer, and a repeat continues it immediately.
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
    context.answer.replayed = true;
    return stored.answer as Answer; // `run` returned it in the call that stored it
  }
  // A renewal that fails is made up for by the next.
  const renewal = setInterval(() => void renew(pool, recordKey).catch(() => {}), renewMs).unref();
  try {
    const answer = await run();
    // The steps before may have been replays of the steps of a call whose process died.
    context.answer.replayed = false;
    return await store(context, recordKey, answer, forReplay);
  } catch (error) {
    // If this fails, the lease expires.
    await execute(
      pool,
      isBegun || !isRefusal(error) ? setLease(recordKey, sql`clock_timestamp()`) : releaseKey(recordKey),
    ).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/**
 * As `runMultiStepCall`, for a call that begins with a change of rows. The result of the change is stored with the
 * answer, so that a repeat continues with this change. `subjectOf` names the subscription whose charge it may wait for.
 */
export async function writeInSteps<Begun, Answer>(
  context: Writer & ReplayContext,
  operation: string,
  change: (write: Write) => Promise<Begun>,
  resume: (begun: Begun) => Promise<Answer>,
  subjectOf: (begun: Begun) => string | null = () => null,
): Promise<Answer> {
  const recordKey = recordKeyOf(context, answerOperation(operation));
  const begun = await write(context, operation, change, {
    begins: (result) => recordKey && leasePart(recordKey, subjectOf(result)),
  });
  const rest = (): Promise<Answer> => perhapsDoneIfUnavailable(() => resume(begun), { hasKey: recordKey !== null });
  return runMultiStepCall(context, recordKey, rest, { isBegun: !context.answer.replayed });
}

/** The error of one of several effects, for its entry in the answer. Throws errors that end the whole call. */
export function entryErrorOf(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof DomainError) || isAboutKey(error)) throw error;
  // The effects before this one may have been made.
  if (error instanceof Unavailable || error instanceof Overloaded || error instanceof RateLimited)
    throw new Unavailable('unknown', { hasKey: true, cause: error });
  return { code: error.code, message: error.message };
}

/** Whether nothing was done, so that another request may use the key. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && !(error instanceof Unavailable) && !isAboutKey(error);
}

const renewMs = (leaseS * 1_000) / 3;
const pollMs = 100;

/** Claims the key, or takes over a call whose process died; null if this call is to run. */
async function begin(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<StoredCall | null> {
  for (const until = performance.now() + waitsOf(pool).runningCallMs; ; await delay(pollMs)) {
    if ((await execute(pool, leasePart(recordKey))) === 1) return null;
    const call = await lookUpCall(pool, recordKey);
    if (call && call.answer !== null) return call;
    if (call && (await execute(pool, takeOver(recordKey))) === 1) return null;
    if (performance.now() >= until) throw inUse();
  }
}

function renew(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<number> {
  return execute(pool, setLease(recordKey, leaseEnd));
}

/** Stores the answer, unless another process has stored one: then that one is returned. */
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
