import { nothingDoneIfUnavailable } from '../../database/outage-retry.ts';
import { constant, type Sql, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { patternMatch } from './patterns.ts';
import { mayBeNamed, patternCriteria, type Rule, ruleHits } from './rule-match.ts';

/** A rule that may match a charge, as read with the facts of the charge. */
interface RuleCandidate {
  id: string;
  name: string;
  operator: 'OR' | 'AND';
  keys: string[];
  hasPatterns: boolean;
  criteria: Rule['patterns'];
}

/** The rule that blocks a charge. */
export interface BlockingRule {
  id: string;
  name: string;
  /** The names of its criteria. */
  criteria: string[];
  /** Whether the merchant may see which rule it is. */
  mayBeNamed: boolean;
}

export interface RuledCharge {
  platformAccountId: string;
  mode: string;
  cardId: string;
  bin: string;
  customerEmailLower: string;
  ruleKeys: (string | null)[];
  ruleCandidates: RuleCandidate[] | null;
}

/** How many rules with patterns an account may have. All of them are evaluated for every charge. */
export const patternRulesMax = 100;

/**
 * The columns and joins that add rules to the facts of a charge: those that match by their keys, or may match by their
 * patterns. Their tables are `q` (the request, with `now`, `payerIp` and `country`), `s` (store), `i` (instrument) and
 * `c` (customer).
 */
export const ruleFacts: { columns: Sql; joins: Sql } = {
  columns: sql`k.keys AS "ruleKeys", b.rules AS "ruleCandidates", i.bin`,
  joins: sql`
    LEFT JOIN LATERAL (
      SELECT ARRAY[
        'ipAddress:' || q."payerIp",
        'customerId:' || i."customerId",
        'email:' || c."emailLower",
        'bin:' || left(i.bin, 6),
        'bin:' || left(i.bin, 7),
        'bin:' || left(i.bin, 8),
        'pan:' || i.fingerprint,
        'paymentId:' || i.fingerprint,
        'country:' || coalesce(q.country, c."billingAddress"->>'country')
      ] AS keys
    ) k ON true
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object(
        'id', b.id, 'name', b.name, 'operator', b.operator, 'keys', b.keys, 'hasPatterns', b."hasPatterns",
        'criteria', b.criteria
      )) AS rules
      FROM (
        SELECT *
        FROM block_rules b
        WHERE b."platformAccountId" = s."platformAccountId"
          AND (b."storeId" IS NULL OR b."storeId" = s.id)
          AND (b."expiresAt" IS NULL OR b."expiresAt" > q.now)
          AND (b."hasPatterns" OR (b.keys && k.keys AND (b.operator = 'OR' OR b.keys <@ k.keys)))
        ORDER BY b."hasPatterns", b."createdAt", b.id
        LIMIT ${constant(patternRulesMax + 1)}
      ) b
    ) b ON true`,
};

/**
 * The rule that blocks a charge, or null. The card is read only if a pattern needs its number. Patterns see only the
 * digits that the API shows, so that they cannot be used to find the others.
 */
export async function blockingRule(services: Services, charge: RuledCharge): Promise<BlockingRule | null> {
  const candidates = charge.ruleCandidates ?? [];
  if (candidates.length === 0) return null;
  const asksForNumber = candidates.some(({ criteria }) => criteria.panRegex !== undefined);
  const judged = {
    keys: new Set(charge.ruleKeys.filter((key) => key !== null)),
    texts: {
      emailRegex: charge.customerEmailLower,
      binRegex: charge.bin,
      panRegex: asksForNumber ? await maskedNumber(services, charge) : '',
    },
  };
  const found = patternMatch();
  for (const { id, name, operator, keys, criteria } of candidates)
    if (await ruleHits({ operator, keys, patterns: patternsOf(criteria) }, judged, found))
      return { id, name, criteria: Object.keys(criteria), mayBeNamed: mayBeNamed(criteria) };
  return null;
}

/** The digits of a card that the API shows, and `*` for each other digit. */
async function maskedNumber({ vault }: Services, charge: RuledCharge): Promise<string> {
  const { cardId, bin } = charge;
  const { cardNumber } = await nothingDoneIfUnavailable(() => vault.reveal(cardId, charge));
  const last4 = cardNumber.slice(-4);
  return bin + '*'.repeat(cardNumber.length - bin.length - last4.length) + last4;
}

function patternsOf(criteria: RuleCandidate['criteria']): Rule['patterns'] {
  return Object.fromEntries(
    patternCriteria.flatMap((name) => (criteria[name] === undefined ? [] : [[name, criteria[name]]])),
  );
}
