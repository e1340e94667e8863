import pg from 'pg';
import { batched } from '../database/batched.ts';
import { constant, queryRows, type Sql, sql } from '../database/sql.ts';
import { tenantQueue, withLockTimeout } from '../database/tenant-queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mode } from '../lib/ids.ts';
import { type Plan, plans, refilledAt, refillSeconds } from './buckets.ts';

/** A valid key, and the bucket of its owner after this check. */
export interface CheckedKey {
  id: string;
  kind: 'partner' | 'sub';
  mode: Mode;
  prefix: string;
  partnerId: string;
  platformAccountId: string | null;
  allowedIps: string[];
  partnerStatus: string;
  plan: Plan;
  tokens: number;
  /** Whether a token was granted to the check. */
  allowed: boolean;
}

export interface KeyChecks {
  /** Finds the key with this hash, takes a token of its owner and records its use. Undefined if it is not valid. */
  check(secretHash: string): Promise<CheckedKey | undefined>;
  /** The checks that wait for the next batch. The pool does not count them, since they are no statements. */
  readonly waiting: number;
}

interface Row extends Omit<CheckedKey, 'allowed'> {
  secretHash: string;
  owner: string;
  /** The tokens that were granted to the calls of the owner, for all its keys. */
  granted: number;
}

/** Below the burst of every plan, so that a full bucket has a token for each. */
const checksMax = 100;
const attemptsMax = 5;

/**
 * Checks that arrive while one is in flight are batched in one statement. Each sees the database as of after its
 * request arrived, and gets the answer that it would have got if they had run in sequence. If the statement fails, or
 * would wait for a locked bucket, each check is retried individually, so that none fails or waits because of another.
 */
export function createKeyChecks({ pool, clock }: { pool: pg.Pool; clock: Clock }): KeyChecks {
  let checks = 0;
  let statements = 0;
  const run = async (hashes: readonly string[]) => {
    statements += 1;
    try {
      const rows = await withoutDeadlock(() => queryRows<Row>(pool, checkStatement(hashes, clock)));
      return answersOf(hashes, rows);
    } finally {
      statements -= 1;
    }
  };
  const queue = tenantQueue(pool);
  const load = batched<string, CheckedKey | undefined>(run, {
    most: checksMax,
    alone: async (hash) => (await queue.runWaiting(hash, () => run([hash])))[0],
  });
  return {
    async check(secretHash) {
      checks += 1;
      try {
        return await load(secretHash);
      } finally {
        checks -= 1;
      }
    },
    get waiting() {
      return Math.max(0, checks - statements);
    },
  };
}

/** The answers in the order of the checks, which is the order in which tokens are granted. */
function answersOf(hashes: readonly string[], rows: readonly Row[]): (CheckedKey | undefined)[] {
  const byHash = new Map(rows.map((row) => [row.secretHash, row]));
  const tokensOf = new Map(rows.map(({ owner, tokens, granted }) => [owner, { left: tokens + granted, granted }]));
  return hashes.map((hash) => {
    const row = byHash.get(hash);
    const bucket = row && tokensOf.get(row.owner);
    if (!bucket) return undefined;
    const allowed = bucket.granted > 0;
    if (allowed) {
      bucket.granted -= 1;
      bucket.left -= 1;
    }
    return { ...row, tokens: bucket.left, allowed };
  });
}

/**
 * One row for each valid key. Buckets and uses are locked in a fixed order, so that statements of two processes wait
 * for each other and do not deadlock.
 */
function checkStatement(hashes: readonly string[], clock: Clock): Sql {
  const calls = new Map<string, number>();
  const earliest = clock.earliest();
  for (const hash of hashes) calls.set(hash, (calls.get(hash) ?? 0) + 1);
  return sql`
    WITH asked AS (
      ${requestedKeys([...calls.keys()], [...calls.values()])}
    ), found AS (
      SELECT
        k.id, k.kind, k.mode, k.prefix, k."partnerId", k."platformAccountId", k."allowedIps", k."secretHash",
        p.status AS "partnerStatus",
        CASE WHEN k.kind = 'partner' THEN 'premium' ELSE a.plan END AS plan,
        coalesce(k."platformAccountId", k."partnerId" || ':' || k.mode) AS owner,
        asked.calls
      FROM asked
      JOIN api_keys k ON k."secretHash" = asked."secretHash"
      JOIN partners p ON p.id = k."partnerId"
      LEFT JOIN processing_accounts a ON a.id = k."platformAccountId"
      WHERE k.status = 'active'
        AND (k."expiresAt" IS NULL OR k."expiresAt" > ${earliest})
    ), bucket AS (
      INSERT INTO limits.buckets AS b (owner, tokens, granted, at, rate, burst, allowed)
      SELECT owner, ${ofPlan('burst')} - sum(calls), sum(calls), ${earliest}, ${ofPlan('rate')}, ${ofPlan('burst')}, true
      FROM found
      GROUP BY owner, plan
      ORDER BY owner
      ON CONFLICT (owner) DO UPDATE SET
        tokens = ${refilled} - least(excluded.granted, floor(${refilled})),
        granted = least(excluded.granted, floor(${refilled})),
        at = ${refilledAt(bucketAt, callAt, clock)},
        rate = excluded.rate,
        burst = excluded.burst
      RETURNING owner, tokens, granted
    ), used AS (
      INSERT INTO limits.key_uses AS u ("keyId", at)
      SELECT id, ${clock.now()}
      FROM found
      ORDER BY id
      ON CONFLICT ("keyId") DO UPDATE SET at = greatest(u.at, excluded.at)
    )
    SELECT found.*, bucket.tokens, bucket.granted
    FROM found
    JOIN bucket ON bucket.owner = found.owner
    WHERE ${withLockTimeout}`;
}

/**
 * The keys with their calls. A single key is a plain row, from which the planner knows that there is only one; arrays
 * are in subqueries, which hide their values from it. Either statement is planned once.
 */
function requestedKeys(hashes: readonly string[], calls: readonly number[]): Sql {
  if (hashes.length === 1) return sql`SELECT ${hashes[0]}::text AS "secretHash", ${calls[0]}::int AS calls`;
  return sql`
    SELECT *
    FROM unnest((SELECT ${hashes}::text[]), (SELECT ${calls}::int[])) a("secretHash", calls)`;
}

const [bucketAt, callAt] = [sql`b.at`, sql`excluded.at`];
/** The tokens of bucket `b` now: those it had, and those added since at its rate, at most its burst. */
const refilled = sql`least(excluded.burst, b.tokens + ${refillSeconds(bucketAt, callAt)} * excluded.rate / 60)`;

function ofPlan(field: 'rate' | 'burst'): Sql {
  return sql`CASE plan
    WHEN 'premium' THEN ${constant(plans.premium[field])}
    ELSE ${constant(plans.standard[field])}
  END`;
}

/** The database rolled back one of two deadlocked statements. It had no effect, so it runs again. */
async function withoutDeadlock<Result>(run: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (attempt === attemptsMax || !(error instanceof pg.DatabaseError && error.code === '40P01')) throw error;
    return withoutDeadlock(run, attempt + 1);
  }
}
