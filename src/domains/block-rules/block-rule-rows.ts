import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { Conflict, NotFound } from '../../kit/errors.ts';
import { patternRulesMax } from './blocking-rule.ts';

const hourMs = 3_600_000;

const ttlHoursDefault = 24;

export function lifetimeOf(
  isPermanent: boolean,
  ttlHours: number | null,
  now: Date,
): { isPermanent: boolean; ttlHours: number | null; expiresAt: Date | null } {
  if (isPermanent) return { isPermanent, ttlHours: null, expiresAt: null };
  const hours = ttlHours ?? ttlHoursDefault;
  return { isPermanent, ttlHours: hours, expiresAt: new Date(now.getTime() + hours * hourMs) };
}

/** Limits the rules with patterns of an account: each of them is evaluated at every charge. */
export async function assertPatternsFit(
  tx: Prisma.TransactionClient,
  platformAccountId: string,
  adds: boolean,
): Promise<void> {
  if (!adds) return;
  // The account is locked, so that two concurrent calls cannot both take the last place.
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${platformAccountId}
    FOR NO KEY UPDATE`);
  if ((await tx.blockRule.count({ where: { platformAccountId, hasPatterns: true } })) >= patternRulesMax)
    throw new Conflict('limit_reached', `An account has at most ${patternRulesMax} rules with patterns.`);
}

export function noSuchRule(): NotFound {
  return new NotFound('There is no such block rule.');
}
