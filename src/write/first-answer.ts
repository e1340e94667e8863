import type pg from 'pg';
import { execute, sql } from '../database/sql.ts';
import { isLockTimeout } from '../database/statement-errors.ts';
import { inTransaction } from '../database/transaction.ts';
import { waitsOf } from '../database/waits.ts';
import { DomainError, Unavailable } from '../kit/errors.ts';
import {
  claimPart,
  findStoredCall,
  type IdempotencyRecordKey,
  inUse,
  isAboutKey,
  isReuse,
  lookUpFailed,
  type StoredCall,
} from './idempotency.ts';

/** What is asked for the first answer of a call. */
export interface Repeatable {
  services: { pool: pg.Pool };
  /** Set if the result is a stored one. */
  replayed: boolean;
}

/**
 * Runs a call that reads before it claims its key. If it is refused for what it reads, the call that has the key
 * decides: whatever has changed since, a repeat gets the answer of the first call, or 409 while that runs. The look-up
 * is made after a refusal alone, so that it costs no other call anything. `answerOf` makes the result of what is stored.
 */
export async function withFirstAnswer<Result>(
  context: Repeatable,
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
    context.replayed = true;
    return result;
  }
}

/**
 * The first call with the key of a call that was refused; null if there was none. Null also if its request was another:
 * what a call is refused for by itself is answered before that conflict (docs/contract/05-errors.md).
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
 * Whether nobody has the key, also none whose transaction has not ended: nobody else sees its claim, and a claim of the
 * same key waits for it.
 */
async function isFree(pool: pg.Pool, recordKey: IdempotencyRecordKey): Promise<boolean> {
  const { owner, operation, key } = recordKey;
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '${waitsOf(pool).runningCallMs}ms'`);
      if ((await execute(client, claimPart(recordKey, null))) === 0) return false;
      await execute(
        client,
        sql`DELETE FROM idempotency_records WHERE owner = ${owner} AND operation = ${operation} AND key = ${key}`,
      );
      return true;
    });
  } catch (error) {
    throw isLockTimeout(error) ? inUse() : lookUpFailed(error);
  }
}
