import { lockRow } from '../../database/lock-row.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { patternSize } from '../../graph/scalars/pattern-size.ts';
import { Conflict } from '../../lib/errors.ts';
import { patternRulesMax } from './blocking-rule.ts';
import { accountPatternSizeMax } from './patterns.ts';
import type { Criteria } from './rule-criteria.ts';
import { patternCriteria } from './rule-match.ts';

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

/**
 * Limits the number of an account's rules with patterns and the total size of their patterns, since all of them are
 * evaluated for every charge.
 */
export async function assertPatternsFit(
  tx: Prisma.TransactionClient,
  platformAccountId: string,
  criteria: Criteria,
  ruleId: string,
): Promise<void> {
  // The account is locked, so that two concurrent calls cannot exceed the limit together.
  await lockRow(tx, 'processing_accounts', platformAccountId);
  const others = await tx.blockRule.findMany({
    where: { platformAccountId, hasPatterns: true, id: { not: ruleId } },
    select: { criteria: true },
  });
  if (others.length >= patternRulesMax)
    throw new Conflict('limit_reached', `An account has at most ${patternRulesMax} rules with patterns.`);
  const size = [{ criteria }, ...others].reduce((sum, rule) => sum + sizeOfPatterns(rule.criteria as Criteria), 0);
  if (size > accountPatternSizeMax)
    throw new Conflict(
      'limit_reached',
      `The patterns of an account's rules have a compiled size of at most ${accountPatternSizeMax} instructions ` +
        `together; with this rule they would have about ${size}.`,
    );
}

function sizeOfPatterns(criteria: Criteria): number {
  return patternCriteria.reduce(
    (sum, name) => sum + (criteria[name] === undefined ? 0 : patternSize(criteria[name])),
    0,
  );
}
