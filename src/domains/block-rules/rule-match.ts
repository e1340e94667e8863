/** Criteria that compare for equality, and those that are patterns. */
export const exactCriteria = ['ipAddress', 'customerId', 'email', 'bin', 'pan', 'country', 'paymentId'] as const;
export type ExactCriterion = (typeof exactCriteria)[number];
export const patternCriteria = ['emailRegex', 'binRegex', 'panRegex'] as const;
export type PatternCriterion = (typeof patternCriteria)[number];

/** Criteria about the card. A hit of a rule with any of them does not name the rule. */
const cardCriteria: readonly string[] = ['bin', 'binRegex', 'pan', 'panRegex', 'paymentId'] satisfies (
  | ExactCriterion
  | PatternCriterion
)[];

/**
 * Whether a hit may name its rule to the merchant. Where several rules stand against a charge, the name would otherwise
 * answer what each of them says about the card.
 */
export function mayBeNamed(criteria: object): boolean {
  return Object.keys(criteria).every((name) => !cardCriteria.includes(name));
}

/** A rule as it is evaluated: equality criteria in the form of keys, and patterns. */
export interface Rule {
  operator: 'OR' | 'AND';
  keys: readonly string[];
  patterns: Readonly<Partial<Record<PatternCriterion, string>>>;
}

/** A charge as rules are evaluated against it. */
export interface EvaluatedCharge {
  keys: ReadonlySet<string>;
  texts: Readonly<Record<PatternCriterion, string>>;
}

/** Whether the pattern is found in the text. */
export type PatternMatch = (pattern: string, text: string) => Promise<boolean>;

/** Whether a rule matches a charge: by any of its criteria (OR), or by all of them (AND). */
export async function ruleHits(
  { operator, keys, patterns }: Rule,
  charge: EvaluatedCharge,
  found: PatternMatch,
): Promise<boolean> {
  const named = patternCriteria.flatMap((criterion) => {
    const pattern = patterns[criterion];
    return pattern === undefined ? [] : [{ pattern, text: charge.texts[criterion] }];
  });
  if (keys.length + named.length === 0) return false;
  // One criterion that matches decides OR, and one that does not decides AND. Equality costs nothing, so it is first.
  const deciding = operator === 'OR';
  if (keys.some((key) => charge.keys.has(key) === deciding)) return deciding;
  for (const { pattern, text } of named) if ((await found(pattern, text)) === deciding) return deciding;
  return !deciding;
}

/** An equality criterion as the key by which rules are looked up. */
export function keyOf(criterion: ExactCriterion, value: string): string {
  return `${criterion}:${criterion === 'email' ? value.toLowerCase() : value}`;
}
