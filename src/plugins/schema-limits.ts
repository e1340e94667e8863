import { RE2JS } from 're2js';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject } from '../graph/input.ts';
import type { InputIssue } from '../kit/errors.ts';
import { pathOf } from './violations.ts';

const depthMax = 32;
const valuesMax = 2_000;
const patternsMax = 100;
const patternLengthMax = 500;

/** Where in a schema further schemas stand: as one, as a list, by name. Everything else in it is plain data. */
const single = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** What we refuse of schemas that are valid: what reaches outside, what has no end, and what is too large to compile. */
export function schemaLimitIssues(schema: JsonObject, path: string): InputIssue[] {
  if (isTooLarge(schema))
    return [{ path, message: `must have at most ${valuesMax} values, nested at most ${depthMax} deep` }];
  const found: Found = { issues: [], patterns: 0 };
  look(schema, path, found);
  return found.patterns > patternsMax ? [{ path, message: `must have at most ${patternsMax} patterns` }] : found.issues;
}

interface Found {
  issues: InputIssue[];
  patterns: number;
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

function look(schema: unknown, path: string, found: Found): void {
  if (!isJsonObject(schema)) return;
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const target = schema[keyword];
    if (typeof target === 'string' && !target.startsWith('#'))
      found.issues.push({
        path: pathOf(path, [keyword]),
        message: 'must begin with "#": nothing is fetched from elsewhere',
      });
  }
  if (schema['$async'] !== undefined) found.issues.push({ path: pathOf(path, ['$async']), message: 'is not taken' });
  if (typeof schema['pattern'] === 'string') assertLinear(schema['pattern'], pathOf(path, ['pattern']), found);
  for (const pattern of Object.keys(isJsonObject(schema['patternProperties']) ? schema['patternProperties'] : {}))
    assertLinear(pattern, pathOf(path, ['patternProperties', pattern]), found);
  for (const keyword of single) look(schema[keyword], pathOf(path, [keyword]), found);
  for (const keyword of listed) {
    const schemas = schema[keyword];
    if (Array.isArray(schemas))
      schemas.forEach((entry: unknown, index) => look(entry, `${pathOf(path, [keyword])}[${index}]`, found));
  }
  for (const keyword of named) {
    const schemas = schema[keyword];
    if (isJsonObject(schemas))
      for (const [name, entry] of Object.entries(schemas)) look(entry, pathOf(path, [keyword, name]), found);
  }
}

function assertLinear(pattern: string, path: string, found: Found): void {
  found.patterns += 1;
  if (found.patterns > patternsMax) return;
  try {
    linearPattern(pattern);
  } catch {
    found.issues.push({
      path,
      message: `must be a regular expression in RE2 syntax (no look-around, no back-references) of at most ${patternLengthMax} characters`,
    });
  }
}

/** A pattern that is matched in time linear in the text. Throws when there is no such one. */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  if (pattern.length > patternLengthMax) throw new RangeError('The pattern is too long.');
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // The library tells patterns apart by their text.
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
}
