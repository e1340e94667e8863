/**
 * The token bucket of contract 6: capacity is the burst, refill is the rate. The bucket's row is read and written by the one
 * statement that checks the key (`authenticate.ts`), in PostgreSQL, so that it holds across every process that serves one
 * database and needs no further server; the table is unlogged, since a bucket lost in a crash is only a full bucket.
 */
export const plans = {
  standard: { rate: 100, burst: 150 },
  premium: { rate: 500, burst: 750 },
} as const;

export type Plan = keyof typeof plans;
export const planNames = Object.keys(plans) as Plan[]; // Object.keys widens to string

/** The headers of the IETF draft: what the policy is, what is left of it and when it is full again. */
export function rateHeaders(plan: Plan, tokens: number): Record<string, string> {
  const { rate, burst } = plans[plan];
  const left = Math.max(0, Math.floor(tokens));
  const fullInS = Math.ceil(((burst - tokens) * 60) / rate);
  return { 'RateLimit-Policy': `"${plan}";q=${rate};w=60`, RateLimit: `"${plan}";r=${left};t=${Math.max(0, fullInS)}` };
}

/** Whole seconds, at least 1, after which one token is there again. */
export function retryAfterS(plan: Plan, tokens: number): number {
  return Math.max(1, Math.ceil(((1 - tokens) * 60) / plans[plan].rate));
}
