/**
 * The token buckets of docs/contract/06-limits.md: the capacity is the burst, the refill is the rate. A bucket is a row
 * of PostgreSQL, read and written by the statement that authenticates the key (`authenticate.ts`), so that it applies
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

/** The whole seconds, at least 1, until the bucket has the tokens of a call: one, or one for each root field. */
export function retryAfterS(plan: Plan, tokens: number, needed = 1): number {
  return Math.max(1, Math.ceil(((needed - tokens) * 60) / plans[plan].rate));
}

/** The plan that a bucket was last charged by. */
export function planOfRate(rate: number): Plan {
  return rate === plans.premium.rate ? 'premium' : 'standard';
}
