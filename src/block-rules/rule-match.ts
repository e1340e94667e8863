import { RE2JS } from 're2js';

/** The exact criteria, and those that are patterns. */
export const exactCriteria = ['ipAddress', 'customerId', 'email', 'bin', 'pan', 'country', 'paymentId'] as const;
export type ExactCriterion = (typeof exactCriteria)[number];
export const patternCriteria = ['emailRegex', 'binRegex', 'panRegex'] as const;
export type PatternCriterion = (typeof patternCriteria)[number];

/** A rule as it is judged: what must be equal in the form of keys, and what must match. */
export interface Rule {
  operator: 'OR' | 'AND';
  keys: readonly string[];
  patterns: Readonly<Partial<Record<PatternCriterion, string>>>;
}

/** A charge as rules see it. */
export interface JudgedCharge {
  keys: ReadonlySet<string>;
  texts: Readonly<Record<PatternCriterion, string>>;
}

/** Whether a rule hits a charge: by any of its criteria (OR), or by all of them (AND). */
export function ruleHits({ operator, keys, patterns }: Rule, charge: JudgedCharge): boolean {
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

/** Somewhere in the text, whatever the case of its letters; in time linear in its length, so that no pattern can hold up charges. */
function matchesPattern(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    if (compiled.size >= compiledMax) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.matcher(text).find();
}

/** An exact criterion in the form in which charges are looked up by it. */
export function keyOf(criterion: ExactCriterion, value: string): string {
  return `${criterion}:${criterion === 'email' ? value.toLowerCase() : value}`;
}
