import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS>();
const compiledMax = 1_000;

/** Searches for the pattern, case-insensitively. RE2 takes time linear in the length of the text. */
export function linearMatch(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    if (compiled.size >= compiledMax) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.matcher(text).find();
}
