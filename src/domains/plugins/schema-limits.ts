import { RE2JS } from 're2js';
import type { JsonObject } from '../../graph/builder.ts';
import { isJsonObject } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { pathOf } from './violations.ts';

const depthMax = 32;
const valuesMax = 2_000;
const patternsMax = 100;
const patternLengthMax = 500;

/** The keywords that contain one schema, a list of schemas, or schemas by name. Everything else is data. */
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

/** Returns what is rejected of valid schemas: remote references, patterns that are not linear, and excessive size. */
export function schemaLimitIssues(schema: JsonObject, path: string): InputIssue[] {
  if (isTooLarge(schema))
    return [{ path, message: `must have at most ${valuesMax} values, nested at most ${depthMax} deep` }];
  const found: Found = { issues: [], patterns: 0 };
  findLimitIssues(schema, path, found);
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

function findLimitIssues(schema: unknown, path: string, found: Found): void {
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
  for (const keyword of single) findLimitIssues(schema[keyword], pathOf(path, [keyword]), found);
  for (const keyword of listed) {
    const schemas = schema[keyword];
    if (Array.isArray(schemas))
      schemas.forEach((entry: unknown, index) => findLimitIssues(entry, `${pathOf(path, [keyword])}[${index}]`, found));
  }
  for (const keyword of named) {
    const schemas = schema[keyword];
    if (isJsonObject(schemas))
      for (const [name, entry] of Object.entries(schemas)) findLimitIssues(entry, pathOf(path, [keyword, name]), found);
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
      message:
        'must be a regular expression in RE2 syntax (no look-around, no back-references) of at most ' +
        `${patternLengthMax} characters`,
    });
  }
}

/** Compiles a pattern that matches in linear time. Throws if the pattern is not one. */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  if (pattern.length > patternLengthMax) throw new RangeError('The pattern is too long.');
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // Ajv distinguishes patterns by their string.
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
}
