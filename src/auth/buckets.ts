import { queryRow, type Sql, sql } from '../database/sql.ts';
import { tenantQueue, withLockTimeout } from '../database/tenant-queue.ts';
import { isTooLate } from '../jobs/leases.ts';
import type { Clock } from '../lib/clock.ts';
import { RateLimited } from '../lib/errors.ts';
import type { Services } from '../services.ts';
import { ownerOf, type Tenant } from './tenancy.ts';

/**
 * The time up to which the bucket with this time is refilled at `earliest` of the clock. It never decreases, so that a
 * server whose clock is behind refills nothing twice. A time ahead of the database's was written by a clock that was
 * ahead. It is replaced: otherwise the bucket would stay empty until that time.
 */
export function refilledAt(at: Sql, earliest: Sql, clock: Pick<Clock, 'now'>): Sql {
  return sql`CASE WHEN ${isTooLate(at, clock.now(), 0)} THEN ${earliest} ELSE greatest(${at}, ${earliest}) END`;
}

/** The seconds since then, for which tokens are added. */
export function refillSeconds(at: Sql, earliest: Sql): Sql {
  return sql`greatest(0, extract(epoch FROM ${earliest} - ${at}))`;
}

/**
 * The token buckets of docs/errors-and-limits.md, 6: the capacity is the burst, the refill is the rate. A bucket is a
 * row of PostgreSQL, read and written by the statement that authenticates the key (`key-checks.ts`), so that it applies
 * across all processes without another server. The table is unlogged, since a bucket lost in a crash is a full bucket.
 */
export const plans = {
  standard: { rate: 100, burst: 150 },
  premium: { rate: 500, burst: 750 },
} as const;

export type Plan = keyof typeof plans;

/** The headers of the IETF draft: the policy, the remaining tokens and the time until the bucket is full. */
export function rateHeaders(plan: Plan, tokens: number): Record<string, string> {
  const { rate, burst } = plans[plan];
  const left = Math.max(0, Math.floor(tokens));
  const fullInS = Math.ceil(((burst - tokens) * 60) / rate);
  return { 'RateLimit-Policy': `"${plan}";q=${rate};w=60`, RateLimit: `"${plan}";r=${left};t=${Math.max(0, fullInS)}` };
}

/** The whole seconds, at least 1, until the bucket has the tokens of a call: one for each root field. */
export function retryAfterS(plan: Plan, tokens: number, needed = 1): number {
  return Math.max(1, Math.ceil(((needed - tokens) * 60) / plans[plan].rate));
}

/** The plan that a bucket was last charged by. */
function planOfRate(rate: number): Plan {
  return rate === plans.premium.rate ? 'premium' : 'standard';
}

/**
 * Takes the tokens of a GraphQL operation with several root fields: authentication has taken the first, and each
 * further field costs one more. All are granted or none. A rejected operation does not get its first token back, since
 * rejecting it has a cost too. Returns the headers of the rate limit.
 */
export async function takeTokens(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  tenant: Tenant,
  fields: number,
): Promise<Readonly<Record<string, string>>> {
  const more = fields - 1;
  const owner = ownerOf(tenant);
  const earliest = sql`${clock.earliest()}::timestamptz`;
  const taking = sql`
      UPDATE limits.buckets b
      SET
        tokens = CASE WHEN r.tokens >= ${more} THEN r.tokens - ${more} ELSE r.tokens END,
        allowed = r.tokens >= ${more},
        at = r.at
      FROM (
        SELECT
          owner,
          least(burst, tokens + ${refillSeconds(sql`at`, earliest)} * rate / 60) AS tokens,
          ${refilledAt(sql`at`, earliest, clock)} AS at
        FROM limits.buckets
        WHERE owner = ${owner} AND ${withLockTimeout}
        FOR NO KEY UPDATE
      ) r
      WHERE b.owner = r.owner
      RETURNING b.tokens, b.rate, b.allowed`;
  const bucket = await tenantQueue(pool).runWaiting(owner, () =>
    queryRow<{ tokens: number; rate: number; allowed: boolean }>(pool, taking),
  );
  // A crash of the database deletes buckets, which counts as full ones.
  if (!bucket) return {};
  const plan = planOfRate(bucket.rate);
  const headers = rateHeaders(plan, bucket.tokens);
  if (!bucket.allowed) throw new RateLimited(retryAfterS(plan, bucket.tokens, fields), headers);
  return headers;
}
