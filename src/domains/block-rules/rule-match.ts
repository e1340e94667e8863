/** Criteria that compare for equality, and those that are patterns. */
export const exactCriteria = ['ipAddress', 'customerId', 'email', 'bin', 'pan', 'country', 'paymentId'] as const;
export type ExactCriterion = (typeof exactCriteria)[number];
export const patternCriteria = ['emailRegex', 'binRegex', 'panRegex'] as const;
export type PatternCriterion = (typeof patternCriteria)[number];

/** Criteria about the card. If a rule has one of them, the merchant does not see which rule matched. */
const cardCriteria: readonly string[] = ['bin', 'binRegex', 'pan', 'panRegex', 'paymentId'] satisfies (
  | ExactCriterion
  | PatternCriterion
)[];

/**
 * Whether the merchant may see which rule matched. With several rules, the name would disclose which of their criteria
 * the card meets.
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

/** The values of a charge that rules are evaluated against. */
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
  // One matching criterion decides OR, and one that does not match decides AND. Equality is cheap, so it is tried
  // first.
  const deciding = operator === 'OR';
  if (keys.some((key) => charge.keys.has(key) === deciding)) return deciding;
  for (const { pattern, text } of named) if ((await found(pattern, text)) === deciding) return deciding;
  return !deciding;
}

/** An equality criterion as the key by which rules are looked up. */
export function keyOf(criterion: ExactCriterion, value: string): string {
  return `${criterion}:${criterion === 'email' ? value.toLowerCase() : value}`;
}
