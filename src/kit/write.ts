import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { PlatformClock } from './clock.ts';
import { connectionWaitMaxMs } from './database.ts';
import { Conflict } from './errors.ts';
import {
  answerPart,
  assertSameRequest,
  claimPart,
  type IdempotencyScope,
  inUse,
  readCall,
  type StoredCall,
} from './idempotency.ts';
import { type Actor, type AuditDraft, type EventDraft, recordParts, type RecordedBy, toJson } from './records.ts';

/** What a write needs of the operation it belongs to. */
export interface Writer {
  env: { prisma: PrismaClient; clock: PlatformClock };
  actor: Actor;
  requestId: string;
  ip: string | null;
  idempotency: { owner: string; key: string; requestHash: string } | null;
  /** Set when the result is a stored one. */
  replayed: boolean;
}

/**
 * The one path of every write: transaction → idempotency claim → change → events → audit rows → stored answer → commit.
 * A crash at any instant leaves all of it or nothing. A charge, which must ask a processor in the middle, walks the same path in
 * two steps made of the same parts (`payments/charge-statements.ts`).
 */
export interface Write {
  tx: Prisma.TransactionClient;
  now: Date;
  /** Adds the event of a state change. */
  event(event: EventDraft): void;
  /** Adds an audit row. */
  audit(audit: AuditDraft): void;
}

export interface WriteOptions<Result> {
  /** What a repeat of the call may see of the result, where that is less than the whole: a secret is shown once. */
  forReplay?(result: Result): unknown;
}

/** Runs a change as one transaction; with an Idempotency-Key a repeat gives the first call's result and changes nothing. */
export async function write<Result>(
  context: Writer,
  operation: string,
  change: (write: Write) => Promise<Result>,
  options: WriteOptions<Result> = {},
): Promise<Result> {
  const scope = scopeOf(context, operation);
  for (let attempt = 1; ; attempt++) {
    try {
      return await context.env.prisma.$transaction((tx) => run(tx, context, scope, change, options), {
        timeout: 10_000,
        maxWait: connectionWaitMaxMs,
      });
    } catch (error) {
      if (isLockTimeout(error) && scope) throw inUse();
      // The database undid one of two transactions that stood in each other's way: nothing of it happened, so it runs again.
      if (attempt === 3 || !isSerializationFailure(error)) throw error;
    }
  }
}

async function run<Result>(
  tx: Prisma.TransactionClient,
  context: Writer,
  scope: IdempotencyScope | null,
  change: (write: Write) => Promise<Result>,
  options: WriteOptions<Result>,
): Promise<Result> {
  const now = context.env.clock.now();
  if (scope) {
    const stored = await claim(tx, scope).catch(async (conflict: unknown) => {
      // A conflict comes last (contract 5): what this call would be refused for by itself is what its sender hears. Nothing stays of it.
      if (isReuse(conflict)) await change({ tx, now, event: () => {}, audit: () => {} });
      throw conflict;
    });
    if (stored) {
      context.replayed = true;
      return stored.answer as Result; // what `change` returned then, as JSON: dates are texts, which the scalars take too
    }
  }
  const events: EventDraft[] = [];
  const audits: AuditDraft[] = [];
  const result = await change({ tx, now, event: (event) => events.push(event), audit: (audit) => audits.push(audit) });
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const parts = recordParts(recordedBy(context, now), events, audits, bind);
  if (scope)
    parts.push(
      `answered AS (${answerPart(scope, toJson(options.forReplay ? options.forReplay(result) : result), bind)})`,
    );
  if (parts.length > 0) await tx.$queryRawUnsafe(`WITH ${parts.join(', ')} SELECT 1 AS done`, ...values);
  return result;
}

/** Claims the key, or gives the call that holds it. Waits up to two seconds for one that is still running. */
async function claim(tx: Prisma.TransactionClient, scope: IdempotencyScope): Promise<StoredCall | null> {
  const values: unknown[] = [];
  await tx.$executeRawUnsafe("SET LOCAL lock_timeout = '2s'");
  const claimed = await tx.$queryRawUnsafe<unknown[]>(
    claimPart(scope, null, (value) => `$${values.push(value)}`),
    ...values,
  );
  if (claimed.length > 0) return null;
  const [call] = await tx.$queryRawUnsafe<StoredCall[]>(readCall, scope.owner, scope.operation, scope.key);
  if (call === undefined) throw inUse();
  assertSameRequest(call, scope);
  if (call.answer === null) throw inUse();
  return call;
}

export function recordedBy({ actor, requestId, ip, env }: Writer, now: Date): RecordedBy {
  return { actor, requestId, ip, now, testClockId: env.clock.testClockId };
}

/** Where this call's idempotency record is, or null when it has no Idempotency-Key. */
export function scopeOf({ idempotency, env }: Writer, operation: string): IdempotencyScope | null {
  return idempotency && { operation, ...idempotency, at: env.clock.real() };
}

/** Errors carry the database's code in different places, depending on whether Prisma or we wrote the statement. */
function databaseCodeOf(error: unknown): string {
  const { code, meta } = error as {
    code?: string;
    meta?: { code?: string; driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  return meta?.driverAdapterError?.cause?.originalCode ?? meta?.code ?? code ?? '';
}

function isLockTimeout(error: unknown): boolean {
  return databaseCodeOf(error) === '55P03';
}

function isSerializationFailure(error: unknown): boolean {
  return ['P2034', '40001', '40P01'].includes(databaseCodeOf(error));
}

function isReuse(error: unknown): boolean {
  return error instanceof Conflict && error.data['reason'] === 'idempotency_key_reused';
}
