import type { Env } from '../env.ts';

/**
 * Carries the use of keys from the unlogged table, where each call notes it, to the keys themselves. Looks back a little further
 * than it must, so that a pass that failed is made good by the next.
 */
export async function gatherKeyUses({ pool, clock }: Pick<Env, 'pool' | 'clock'>, sinceMs = 60_000): Promise<void> {
  const since = new Date(clock.now().getTime() - sinceMs);
  await pool.query({ name: 'gather-key-uses', text: gather, values: [since] });
}

const gather = `UPDATE api_keys k SET "lastUsedAt" = u.at FROM limits.key_uses u
WHERE u.at > $1 AND k.id = u."keyId" AND (k."lastUsedAt" IS NULL OR k."lastUsedAt" < u.at)`;
