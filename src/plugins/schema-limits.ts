import { RE2JS } from 're2js';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject } from '../graph/input.ts';
import type { InputIssue } from '../kit/errors.ts';
import { pathOf } from './violations.ts';

const depthMax = 32;
const valuesMax = 5_000;
const patternLengthMax = 500;

/** Where in a schema further schemas stand: as one, as a list, by name. Everything else in it is plain data. */
const single = ['not', 'if', 'then', 'else', 'items', 'additionalItems', 'additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'];
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** What we refuse of schemas that are valid: what reaches outside, what has no end, and what is too large to compile. */
export function schemaLimitIssues(schema: JsonObject, path: string): InputIssue[] {
  if (isTooLarge(schema)) return [{ path, message: `must have at most ${valuesMax} values, nested at most ${depthMax} deep` }];
  const issues: InputIssue[] = [];
  look(schema, path, issues);
  return issues;
}

function isTooLarge(schema: JsonObject): boolean {
  let values = 0;
  const walk = (value: unknown, depth: number): boolean => {
    values += 1;
    if (values > valuesMax || depth > depthMax) return true;
    return typeof value === 'object' && value !== null && Object.values(value).some((entry) => walk(entry, depth + 1));
  };
  return walk(schema, 0);
}

function look(schema: unknown, path: string, issues: InputIssue[]): void {
  if (!isJsonObject(schema)) return;
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const target = schema[keyword];
    if (typeof target === 'string' && !target.startsWith('#')) issues.push({ path: pathOf(path, [keyword]), message: 'must begin with "#": nothing is fetched from elsewhere' });
  }
  if (schema['$async'] !== undefined) issues.push({ path: pathOf(path, ['$async']), message: 'is not taken' });
  if (typeof schema['pattern'] === 'string') assertLinear(schema['pattern'], pathOf(path, ['pattern']), issues);
  for (const pattern of Object.keys(isJsonObject(schema['patternProperties']) ? schema['patternProperties'] : {})) assertLinear(pattern, pathOf(path, ['patternProperties', pattern]), issues);
  for (const keyword of single) look(schema[keyword], pathOf(path, [keyword]), issues);
  for (const keyword of listed) {
    const schemas = schema[keyword];
    if (Array.isArray(schemas)) schemas.forEach((entry: unknown, index) => look(entry, `${pathOf(path, [keyword])}[${index}]`, issues));
  }
  for (const keyword of named) {
    const schemas = schema[keyword];
    if (isJsonObject(schemas)) for (const [name, entry] of Object.entries(schemas)) look(entry, pathOf(path, [keyword, name]), issues);
  }
}

function assertLinear(pattern: string, path: string, issues: InputIssue[]): void {
  try {
    linearPattern(pattern);
  } catch {
    issues.push({ path, message: `must be a regular expression in RE2 syntax (no look-around, no back-references) of at most ${patternLengthMax} characters` });
  }
}

/** A pattern that is matched in time linear in the text. Throws when there is no such one. */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  if (pattern.length > patternLengthMax) throw new RangeError('The pattern is too long.');
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // The library tells patterns apart by their text.
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
}
