import { RE2JS } from 're2js';

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

/** Whether a rule matches a charge: by any of its criteria (OR), or by all of them (AND). */
export function ruleHits({ operator, keys, patterns }: Rule, charge: EvaluatedCharge): boolean {
  const equal = (key: string): boolean => charge.keys.has(key);
  const matches = (criterion: PatternCriterion): boolean => {
    const pattern = patterns[criterion];
    return pattern !== undefined && matchesPattern(pattern, charge.texts[criterion]);
  };
  const named = patternCriteria.filter((criterion) => patterns[criterion] !== undefined);
  if (keys.length + named.length === 0) return false;
  return operator === 'OR' ? keys.some(equal) || named.some(matches) : keys.every(equal) && named.every(matches);
}

const compiled = new Map<string, RE2JS>();
const compiledMax = 1_000;

/**
 * Searches for the pattern, case-insensitively. RE2 takes time linear in the length of the text, so that no pattern can
 * delay charges.
 */
function matchesPattern(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    if (compiled.size >= compiledMax) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.matcher(text).find();
}

/** An equality criterion as the key by which rules are looked up. */
export function keyOf(criterion: ExactCriterion, value: string): string {
  return `${criterion}:${criterion === 'email' ? value.toLowerCase() : value}`;
}
