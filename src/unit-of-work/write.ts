import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Actor } from '../call/context.ts';
import { connectionWaitMaxMs } from '../database/database.ts';
import { databaseCodeOf, isLockTimeout } from '../database/errors.ts';
import { lockRow } from '../database/lock-row.ts';
import { join, type Sql, sql } from '../database/sql.ts';
import { lockWaitMs, tenantQueue } from '../database/tenant-queue.ts';
import { waitsOf } from '../database/waits.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { AuditKeys } from '../keys/audit-keys.ts';
import type { PlatformClock } from '../lib/clock.ts';
import { Conflict, Unavailable } from '../lib/errors.ts';
import { toJson } from '../lib/json.ts';
import {
  answerPart,
  assertSameRequest,
  claimPart,
  type IdempotencyRecordKey,
  inUse,
  isReuse,
  lookUpFailed,
  readCall,
  type StoredCall,
} from './idempotency.ts';
import { type AuditDraft, type EventDraft, type RecordedBy, recordParts } from './records.ts';

/**
 * 409 if an account already has `max` rows of a kind. Locks the account until the transaction ends, so that concurrent
 * calls count each other's rows.
 */
export async function assertRoom(
  { tx }: Pick<Write, 'tx'>,
  platformAccountId: string,
  { what, max, count }: { what: string; max: number; count(of: { platformAccountId: string }): Promise<number> },
): Promise<void> {
  await lockRow(tx, 'processing_accounts', platformAccountId);
  const present = await count({ platformAccountId });
  if (present >= max)
    throw new Conflict('limit_reached', `An account has at most ${max} ${what}; this one has ${present}.`);
}

/** What a write needs to know of its operation. */
export interface Writer {
  services: { prisma: PrismaClient; pool: pg.Pool; clock: PlatformClock; auditKeys: AuditKeys };
  actor: Actor;
  /** Whose objects it changes. */
  tenant?: { partnerId: string } | null;
  /**
   * In which queue it waits for locked rows, such as the account: its waits do not use the connections of others. Null or
   * absent if the rows may be of any tenant.
   */
  lockQueue?: string | null;
  requestId: string;
  ip: string | null;
  idempotency: { owner: string; key: string; requestHash: string } | null;
  answer: { replayed: boolean };
}

/**
 * The path of every write: transaction → idempotency claim → change → events → audit rows → stored answer → commit. A
 * crash leaves all of it or nothing. A charge calls a processor in between and takes the same path in two steps made of
 * the same CTEs (`payments/charge/intent.ts`, `payments/charge/commit-outcome.ts`).
 */
export interface Write {
  tx: Prisma.TransactionClient;
  /** The time of what is recorded. */
  now: Date;
  /** The earlier of the server's time and the database's, by which it is decided what has ended or is due. */
  earliest: Date;
  /** Adds the event of a state change. */
  event(event: EventDraft): void;
  /** Adds an audit row. */
  audit(audit: AuditDraft): void;
}

export interface WriteOptions<Result> {
  /** The part of the result that a repeat of the call returns: a secret is returned once. */
  forReplay?(result: Result): unknown;
  /** Claims the key of the call of several steps that begins with this change. */
  begins?(result: Result): Sql | null;
}

/**
 * Runs a change as one transaction. With an idempotency key, a repeat returns the first result and changes nothing. A
 * change of a tenant waits for locked rows for five seconds, in the tenant's slots, and is then 503: nothing was done.
 */
export async function write<Result>(
  context: Writer,
  operation: string,
  change: (write: Write) => Promise<Result>,
  options: WriteOptions<Result> = {},
): Promise<Result> {
  const { lockQueue, services } = context;
  const call: Call = { context, recordKey: recordKeyOf(context, operation) };
  if (lockQueue == null) return transact(call, change, options);
  for (const until = performance.now() + waitsOf(services.pool).runningCallMs; ; await delay(pollMs)) {
    try {
      return await tenantQueue(services.pool).runFreely(lockQueue, () => transact(call, change, options));
    } catch (error) {
      if (isLockTimeout(error)) throw new Unavailable('none', { hasKey: call.recordKey !== null, cause: error });
      if (!(error instanceof KeyHeld)) throw error;
      if (performance.now() >= until) throw inUse();
    }
  }
}

interface Call {
  context: Writer;
  recordKey: IdempotencyRecordKey | null;
}

/** The first call with the key is in progress. The repeat gives its slot back while it waits, for others to use. */
class KeyHeld extends Error {}

/** How often a repeat checks whether the first call has ended. */
const pollMs = 100;

async function transact<Result>(
  call: Call,
  change: (write: Write) => Promise<Result>,
  options: WriteOptions<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call.context.services.prisma.$transaction((tx) => run(tx, call, change, options), {
        timeout: 10_000,
        maxWait: connectionWaitMaxMs,
      });
    } catch (error) {
      // The database rolled back one of two conflicting transactions. It had no effect, so it runs again.
      if (attempt === 3 || !isSerializationFailure(error)) throw error;
    }
  }
}

async function run<Result>(
  tx: Prisma.TransactionClient,
  call: Call,
  change: (write: Write) => Promise<Result>,
  options: WriteOptions<Result>,
): Promise<Result> {
  const { context, recordKey } = call;
  const [now, earliest] = [context.services.clock.now(), context.services.clock.earliest()];
  if (context.lockQueue != null || recordKey)
    await tx.$executeRaw(
      lockTimeout(context.lockQueue == null ? waitsOf(context.services.pool).runningCallMs : lockWaitMs),
    );
  if (recordKey) {
    const stored = await claim(tx, context, recordKey).catch(async (conflict: unknown) => {
      // A conflict has the lowest precedence (docs/errors-and-limits.md, 5): an error of this call itself comes before
      // it. The transaction is rolled back either way.
      if (isReuse(conflict)) await change({ tx, now, earliest, event: () => {}, audit: () => {} });
      throw conflict;
    });
    if (stored) {
      context.answer.replayed = true;
      // what `change` returned then, as JSON: dates are strings, which the scalars accept too
      return stored.answer as Result;
    }
  }
  const events: EventDraft[] = [];
  const audits: AuditDraft[] = [];
  const result = await change({
    tx,
    now,
    earliest,
    event: (event) => events.push(event),
    audit: (audit) => audits.push(audit),
  });
  const parts = recordParts(recordedBy(context, now), events, audits);
  if (recordKey) {
    const answer = toJson(options.forReplay ? options.forReplay(result) : result);
    parts.push(sql`answered AS (${answerPart(recordKey, answer)})`);
  }
  const begun = options.begins?.(result);
  if (begun) parts.push(sql`begun AS (${begun})`);
  if (parts.length > 0) await tx.$queryRaw(sql`WITH ${join(parts, ', ')} SELECT 1 AS done`);
  return result;
}

function lockTimeout(ms: number): Sql {
  return sql`SELECT set_config('lock_timeout', ${`${ms}ms`}, true)`;
}

/** Claims the key, or returns the call that has it. Waits up to two seconds for one in progress. */
async function claim(
  tx: Prisma.TransactionClient,
  { lockQueue }: Writer,
  recordKey: IdempotencyRecordKey,
): Promise<StoredCall | null> {
  const claimed = await tx.$queryRaw<unknown[]>(claimPart(recordKey, null)).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
    throw lockQueue == null ? inUse() : new KeyHeld('', { cause: error });
  });
  // What an operator changes may wait for the rows of another change, which is not a conflict of the key.
  if (claimed.length > 0 && lockQueue == null) await tx.$executeRaw(sql`SET LOCAL lock_timeout TO DEFAULT`);
  if (claimed.length > 0) return null;
  const [call] = await tx.$queryRaw<StoredCall[]>(readCall(recordKey)).catch(lookUpFailed);
  if (call === undefined) throw inUse();
  assertSameRequest(call, recordKey);
  if (call.answer === null) throw inUse();
  return call;
}

/** A job as the writer of its changes. */
export function jobWriter(services: Writer['services'], id: string, at: Date = services.clock.now()): Writer {
  const requestId = `job_${id}_${at.getTime()}`;
  return {
    services,
    actor: { kind: 'system', id },
    requestId,
    ip: null,
    idempotency: null,
    answer: { replayed: false },
  };
}

export function recordedBy({ actor, tenant, requestId, ip, services }: Writer, now: Date): RecordedBy {
  const { clock, auditKeys } = services;
  const partnerId = tenant?.partnerId ?? null;
  return { actor, partnerId, requestId, ip, now, testClockId: clock.testClockId, auditKeys };
}

/** The key of this call's idempotency record, or null if it has no idempotency key. */
export function recordKeyOf({ idempotency, services }: Writer, operation: string): IdempotencyRecordKey | null {
  return idempotency && { operation, ...idempotency, at: services.clock.real() };
}

function isSerializationFailure(error: unknown): boolean {
  return ['P2034', '40001', '40P01'].includes(databaseCodeOf(error));
}
