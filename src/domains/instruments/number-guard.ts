import { createHash } from 'node:crypto';
import type { TenantContext } from '../../call/context.ts';
import { constant, join, queryRow, sql } from '../../database/sql.ts';
import type { Keep } from '../../jobs/retention.ts';
import { RateLimited } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import { recordParts } from '../../unit-of-work/records.ts';
import { recordedBy } from '../../unit-of-work/write.ts';

/** How many different numbers with the same shown digits an account may present on one day (UTC). */
const numbersPerDayMax = 20;

const dayMs = 86_400_000;

export interface NumberOwner {
  partnerId: string;
  platformAccountId: string;
  mode: Mode;
}

/** A card number as it is counted: the digits that the API shows, and a keyed hash of all digits. */
export interface PresentedNumber {
  bin: string;
  last4: string;
  fingerprint: string;
}

/**
 * Counts a card number that an account presents. A caller who sees a stored card knows all but a few of its digits, and
 * every operation that accepts a full number and returns its fingerprint, or compares it at charges, tests one guess of
 * the others. Above the limit of guesses of a day, calls are 429 until the next day, the first of them is audited, and
 * operators see an alert. One statement counts, rejects and records, so that concurrent calls cannot exceed the limit.
 */
export async function presentNumber(
  context: TenantContext,
  owner: NumberOwner,
  number: PresentedNumber,
): Promise<void> {
  const { services } = context;
  const [now, earliest] = [services.clock.real(), services.clock.earliestReal()];
  const day = earliest.toISOString().slice(0, 10);
  const { bin, last4 } = number;
  const hash = createHash('sha256').update(number.fingerprint).digest('base64url').slice(0, 22);
  const alertId = newId('alert_', now);
  const audit = {
    action: 'blockCardTesting',
    target: owner.platformAccountId,
    after: { alertId, bin, last4 },
    outcome: 'denied',
    reason: 'card_enumeration',
  } as const;
  const presented = await queryRow<{ admitted: boolean }>(
    services.pool,
    sql`
      WITH presented AS (
        INSERT INTO limits.presented_numbers AS p ("platformAccountId", day, bin, last4, hashes)
        VALUES (${owner.platformAccountId}, ${day}::date, ${bin},
          ${last4}, ARRAY[${hash}::text])
        ON CONFLICT ("platformAccountId", day, bin, last4) DO UPDATE SET
          hashes = CASE
            WHEN ${hash}::text = ANY(p.hashes) OR cardinality(p.hashes) >= ${constant(numbersPerDayMax)} THEN p.hashes
            ELSE p.hashes || ${hash}::text
          END
        RETURNING ${hash}::text = ANY(p.hashes) AS admitted
      ),
      alerted AS (
        INSERT INTO card_testing_alerts AS a
          (id, "partnerId", "platformAccountId", mode, day, bin, last4, refusals, "createdAt", "updatedAt")
        SELECT ${alertId}, ${owner.partnerId}, ${owner.platformAccountId}, ${owner.mode}, ${day}::date, ${bin},
          ${last4}, 1, ${now}, ${now}
        FROM presented
        WHERE NOT admitted
        ON CONFLICT ("platformAccountId", day, bin, last4) DO UPDATE SET
          refusals = a.refusals + 1, "updatedAt" = excluded."updatedAt"
        RETURNING a.refusals
      ),
      first_alert AS (SELECT 1 FROM alerted WHERE refusals = 1),
      ${join(recordParts(recordedBy(context, now), [], [audit], 'first_alert'), ', ')}
      SELECT admitted FROM presented`,
  );
  if (presented?.admitted !== false) return;
  context.answer.retryAfterS = Math.ceil((dayMs - (earliest.getTime() % dayMs)) / 1_000);
  throw new RateLimited(
    context.answer.retryAfterS,
    {},
    `At most ${numbersPerDayMax} different card numbers a day may share their first and last digits`,
  );
}

/** Counts are kept for a day more than the limit covers, for processes whose clocks differ. */
export const presentedNumbersKept: readonly Keep[] = [
  { table: sql`limits.presented_numbers`, by: sql`day`, forMs: dayMs },
  { table: sql`card_testing_alerts`, by: sql`day`, forMs: 89 * dayMs },
];
