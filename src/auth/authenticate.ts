import ipaddr from 'ipaddr.js';
import { isOverload } from '../database/database.ts';
import { constant, queryRow, type Sql, sql } from '../database/sql.ts';
import { Forbidden, NotAuthorized, RateLimited } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import type { Services } from '../services.ts';
import type { ApiKeyCaller } from './caller.ts';
import { type Plan, plans, rateHeaders, retryAfterS } from './rate-limit.ts';
import { hashSecret, isWellFormedSecret, modeOfSecret } from './secret.ts';

export interface Admission {
  caller: ApiKeyCaller;
  /** The headers of the rate limit, which every answer has. */
  headers: Record<string, string>;
}

interface KeyRow {
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
  allowed: boolean;
}

/**
 * Authenticates an API key and takes one token from its owner's bucket, in one statement. Errors in this order: 401
 * (unknown, revoked or expired key), 429, 403 (partner offboarded, address not allowed). Which root fields are open to
 * the key of a suspended partner is a matter of their scopes.
 */
export async function authenticate(
  services: Services,
  request: { authorization: string | undefined; ip: string },
): Promise<Admission> {
  const secret = bearerOf(request.authorization);
  if (secret === undefined) throw new NotAuthorized();
  if (!isWellFormedSecret(secret)) throw new NotAuthorized('The API key is not valid: check that it was copied whole.');
  if (services.config.sandbox && modeOfSecret(secret) === 'live')
    throw new NotAuthorized('This is the sandbox: live keys are not valid here. Use a test key.');
  const key = await takeToken(services, secret);
  if (key === undefined) throw new NotAuthorized('The API key is unknown, revoked or expired.');
  const headers = rateHeaders(key.plan, key.tokens);
  if (!key.allowed) throw new RateLimited(retryAfterS(key.plan, key.tokens), headers);
  if (key.partnerStatus === 'offboarded') {
    throw withHeaders(
      new Forbidden('partner_not_active', 'The partner is offboarded: its keys are out of use.'),
      headers,
    );
  }
  if (key.allowedIps.length > 0 && !isAllowed(request.ip, key.allowedIps)) {
    throw withHeaders(
      new Forbidden('ip_not_allowed', 'The API key may not be used from this address.', { ip: request.ip }),
      headers,
    );
  }
  return { caller: callerOf(key), headers };
}

async function takeToken(services: Services, secret: string): Promise<KeyRow | undefined> {
  try {
    return await queryRow<KeyRow>(services.pool, keyStatement(hashSecret(secret), services.clock.now()));
  } catch (error) {
    // The call was admitted and got no connection: it has had no effect and can be repeated.
    if (isOverload(error)) throw new RateLimited(busyRetryAfterS);
    throw error;
  }
}

const busyRetryAfterS = 2;

/** Finds the key, takes a token of its owner's bucket and records its use. No row if the key is not valid. */
function keyStatement(secretHash: string, now: Date): Sql {
  return sql`
    WITH found AS (
      SELECT
        k.id, k.kind, k.mode, k.prefix, k."partnerId", k."platformAccountId", k."allowedIps",
        p.status AS "partnerStatus",
        CASE WHEN k.kind = 'partner' THEN 'premium' ELSE a.plan END AS plan,
        coalesce(k."platformAccountId", k."partnerId" || ':' || k.mode) AS owner
      FROM api_keys k
      JOIN partners p ON p.id = k."partnerId"
      LEFT JOIN processing_accounts a ON a.id = k."platformAccountId"
      WHERE k."secretHash" = ${secretHash}
        AND k.status = 'active'
        AND (k."expiresAt" IS NULL OR k."expiresAt" > ${now})
    ), bucket AS (
      INSERT INTO limits.buckets AS b (owner, tokens, at, rate, burst, allowed)
      SELECT owner, ${ofPlan('burst')} - 1, ${now}, ${ofPlan('rate')}, ${ofPlan('burst')}, true
      FROM found
      ON CONFLICT (owner) DO UPDATE SET
        tokens = ${refilled} - CASE WHEN ${refilled} >= 1 THEN 1 ELSE 0 END,
        allowed = ${refilled} >= 1,
        at = greatest(b.at, excluded.at),
        rate = excluded.rate,
        burst = excluded.burst
      RETURNING tokens, allowed
    ), used AS (
      INSERT INTO limits.key_uses AS u ("keyId", at)
      SELECT id, ${now}
      FROM found
      ON CONFLICT ("keyId") DO UPDATE SET at = greatest(u.at, excluded.at)
    )
    SELECT found.*, bucket.tokens, bucket.allowed
    FROM found, bucket`;
}

/** The tokens of bucket `b` now: those it had, and those added since at its rate, at most its burst. */
const refilled = sql`least(
  excluded.burst,
  b.tokens + greatest(0, extract(epoch FROM excluded.at - b.at)) * excluded.rate / 60
)`;

function ofPlan(field: 'rate' | 'burst'): Sql {
  return sql`CASE found.plan
    WHEN 'premium' THEN ${constant(plans.premium[field])}
    ELSE ${constant(plans.standard[field])}
  END`;
}

/** The credential of an Authorization header; the scheme is case-insensitive. */
function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

function isAllowed(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return address.kind() === base.kind() && address.match(base, bits);
  });
}

function callerOf({ id: keyId, prefix: keyPrefix, mode, partnerId, partnerStatus, platformAccountId }: KeyRow) {
  const key = {
    keyId,
    keyPrefix,
    mode,
    partnerId,
    ...(partnerStatus === 'suspended' && { isSuspended: true as const }),
  };
  return platformAccountId === null
    ? ({ kind: 'partnerKey', ...key } as const)
    : ({ kind: 'subKey', ...key, platformAccountId } as const);
}

function withHeaders(error: Forbidden, headers: Record<string, string>): Forbidden {
  return Object.assign(error, { headers });
}
