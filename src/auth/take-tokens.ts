import { loneStatements, waitsBriefly } from '../database/lone-statements.ts';
import { queryRow, sql } from '../database/sql.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Services } from '../services.ts';
import { refilledAt, refillSeconds } from './bucket-time.ts';
import type { ApiKeyCaller } from './caller.ts';
import { planOfRate, rateHeaders, retryAfterS } from './rate-limit.ts';
import { ownerOf } from './tenancy.ts';

/**
 * Takes the tokens of a GraphQL operation with several root fields: authentication has taken the first, and each
 * further field costs one more. All are granted or none. A refused operation does not get its first token back:
 * refusing costs work, too. Returns the headers of the rate limit.
 */
export async function takeTokens(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  caller: ApiKeyCaller,
  fields: number,
): Promise<Readonly<Record<string, string>>> {
  const more = fields - 1;
  const owner = ownerOf(caller);
  const passed = sql`${clock.passed()}::timestamptz`;
  const taking = sql`
      UPDATE limits.buckets b
      SET
        tokens = CASE WHEN r.tokens >= ${more} THEN r.tokens - ${more} ELSE r.tokens END,
        allowed = r.tokens >= ${more},
        at = r.at
      FROM (
        SELECT
          owner,
          least(burst, tokens + ${refillSeconds(sql`at`, passed)} * rate / 60) AS tokens,
          ${refilledAt(sql`at`, passed, clock)} AS at
        FROM limits.buckets
        WHERE owner = ${owner} AND ${waitsBriefly}
        FOR NO KEY UPDATE
      ) r
      WHERE b.owner = r.owner
      RETURNING b.tokens, b.rate, b.allowed`;
  const bucket = await loneStatements(pool).run(owner, () =>
    queryRow<{ tokens: number; rate: number; allowed: boolean }>(pool, taking),
  );
  // Buckets are lost in a crash of the database, which fills them.
  if (!bucket) return {};
  const plan = planOfRate(bucket.rate);
  const headers = rateHeaders(plan, bucket.tokens);
  if (!bucket.allowed) throw new RateLimited(retryAfterS(plan, bucket.tokens, fields), headers);
  return headers;
}
