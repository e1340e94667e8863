import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Conflict } from './errors.ts';
import { toJson } from './json.ts';

/** Where a call's record is kept: whose it is, which operation, and the client's key (contract 7). */
export interface IdempotencyScope {
  owner: string;
  operation: string;
  key: string;
  requestHash: string;
  /** When the call began, in real time whatever test clock it works on: answers are kept for so long from then. */
  at: Date;
}

export interface StoredCall {
  requestHash: string;
  subjectId: string | null;
  /** Null while the first call is still running. */
  answer: unknown;
}

/**
 * Claims the key for this call: gives a row when it was free. Waits for another transaction that is claiming it right now. `from`
 * names a part that must have found a row; `answer` is there when the effect is whole in the same statement.
 */
export function claimPart(
  scope: IdempotencyScope,
  subjectId: string | null,
  bind: (value: unknown) => string,
  { from, answer }: { from?: string; answer?: string } = {},
): string {
  const columns = `owner, operation, key, "requestHash", "subjectId", "createdAt"${answer === undefined ? '' : ', answer'}`;
  const values = `${bind(scope.owner)}::text, ${bind(scope.operation)}::text, ${bind(scope.key)}::text, ${bind(scope.requestHash)}::text, ${bind(subjectId)}::text, ${bind(scope.at)}::timestamptz${answer === undefined ? '' : `, ${bind(answer)}::json`}`;
  return `INSERT INTO idempotency_records (${columns}) SELECT ${values}${from === undefined ? '' : ` FROM ${from}`} ON CONFLICT DO NOTHING RETURNING 1 AS claimed`;
}

/** Stores the answer beside the effect it tells of. */
export function answerPart(
  scope: Pick<IdempotencyScope, 'owner' | 'operation' | 'key'>,
  answer: string,
  bind: (value: unknown) => string,
): string {
  return `UPDATE idempotency_records SET answer = ${bind(answer)}::json WHERE owner = ${bind(scope.owner)} AND operation = ${bind(scope.operation)} AND key = ${bind(scope.key)}`;
}

export const readCall =
  'SELECT "requestHash", "subjectId", answer FROM idempotency_records WHERE owner = $1 AND operation = $2 AND key = $3';

/** Refuses a key that was used with another body. */
export function assertSameRequest(call: StoredCall, scope: IdempotencyScope): void {
  if (call.requestHash === scope.requestHash) return;
  throw new Conflict(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body: take a new key for a new request.',
  );
}

export function inUse(): Conflict {
  return new Conflict(
    'idempotency_key_in_use',
    'The first call with this Idempotency-Key is still running: repeat this call in a moment.',
  );
}

const waitMs = 2_000;
const pollMs = 50;

/** The answer of an earlier call with this key; waits up to two seconds for one that is still running, then refuses. */
export async function awaitStoredCall(pool: pg.Pool, scope: IdempotencyScope): Promise<unknown> {
  const call = await findStoredCall(pool, scope);
  if (!call) throw inUse();
  return call.answer;
}

/** The same, or null when there was no earlier call. */
export async function findStoredCall(pool: pg.Pool, scope: IdempotencyScope): Promise<StoredCall | null> {
  for (const until = performance.now() + waitMs; ; await delay(pollMs)) {
    const { rows } = await pool.query<StoredCall>({
      name: 'read-call',
      text: readCall,
      values: [scope.owner, scope.operation, scope.key],
    });
    const call = rows[0];
    if (!call) return null;
    assertSameRequest(call, scope);
    if (call.answer !== null) return call;
    if (performance.now() >= until) throw inUse();
  }
}

/**
 * Claims the key for a call that is made of several effects, each with a key of its own. Null when the call may run: it is the
 * first, or the first one did not come to its end, and what it did will answer again.
 */
export async function claimCall(pool: pg.Pool, scope: IdempotencyScope): Promise<StoredCall | null> {
  const values: unknown[] = [];
  await pool.query({ name: 'claim-call', text: claimPart(scope, null, (value) => `$${values.push(value)}`), values });
  const { rows } = await pool.query<StoredCall>({
    name: 'read-call',
    text: readCall,
    values: [scope.owner, scope.operation, scope.key],
  });
  const call = rows[0];
  if (!call) throw inUse();
  assertSameRequest(call, scope);
  return call.answer === null ? null : call;
}

/** Stores the answer of such a call when all its effects are there. */
export async function storeAnswer(pool: pg.Pool, scope: IdempotencyScope, answer: unknown): Promise<void> {
  const values: unknown[] = [];
  await pool.query({
    name: 'store-answer',
    text: answerPart(scope, toJson(answer), (value) => `$${values.push(value)}`),
    values,
  });
}

/** Answers are kept for a day at least; one hour more covers clocks that differ. */
const keptMs = 25 * 3_600_000;

/** Removes records whose time is over, a bounded number at a time. */
export async function removeOldCalls(pool: pg.Pool, now: Date): Promise<number> {
  const text = `DELETE FROM idempotency_records WHERE ctid = ANY(ARRAY(SELECT ctid FROM idempotency_records WHERE "createdAt" < $1 AND answer IS NOT NULL ORDER BY "createdAt" LIMIT 10000))`;
  const { rowCount } = await pool.query({ name: 'remove-old-calls', text, values: [new Date(now.getTime() - keptMs)] });
  return rowCount ?? 0;
}
