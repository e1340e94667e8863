import { createHash } from 'node:crypto';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import { RE2JS } from 're2js';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject, issuesMax } from '../../../graph/input/check.ts';
import type { InputIssue } from '../../../lib/errors.ts';
import { Recent } from '../../../lib/recent.ts';
import { issueOf, pathOf } from './issues.ts';

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

/**
 * Returns the parts of a valid schema that are not allowed: remote references, patterns that are not linear, and
 * excessive size.
 */
function schemaLimitIssues(schema: JsonObject, path: string): InputIssue[] {
  if (isTooLarge(schema))
    return [{ path, message: `must contain at most ${valuesMax} values, nested at most ${depthMax} deep` }];
  const found: Found = { issues: [], patterns: 0 };
  findLimitIssues(schema, path, found);
  return found.patterns > patternsMax
    ? [{ path, message: `must contain at most ${patternsMax} patterns` }]
    : found.issues;
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
  if (schema['$async'] !== undefined)
    found.issues.push({ path: pathOf(path, ['$async']), message: 'is not supported' });
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
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  if (pattern.length > patternLengthMax) throw new RangeError('The pattern is too long.');
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // Ajv distinguishes patterns by their string.
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
}

// No static limit catches every schema that is slow for some value, so these functions run in a worker thread, which is
// terminated when it takes too long (checker.ts).

const drafts = {
  'https://json-schema.org/draft/2020-12/schema': Ajv2020,
  'http://json-schema.org/draft-07/schema': Ajv,
} as const;

export const draftNames = Object.keys(drafts);

/** The formats whose patterns take about linear time on strings of the maximum size of a configuration. */
const knownFormats: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
  'json-pointer',
];

const options: Options = {
  allErrors: true,
  // Keywords outside of the standard are allowed, since forms use them.
  strict: false,
  logger: false,
  // A property such as `toString` exists only if it was sent.
  ownProperties: true,
  inlineRefs: false,
  messages: true,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

/** Returns why a value is not a usable JSON Schema of configurations. */
export function findInSchema(schema: JsonObject, path: string): InputIssue[] {
  const draft = draftOf(schema);
  if (!draft)
    return [{ path: `${path}.$schema`, message: `must be one of ${draftNames.join(', ')}, or omitted for the first` }];
  const limits = schemaLimitIssues(schema, path);
  if (limits.length > 0) return limits.slice(0, issuesMax);
  const meta = metaOf(draft);
  if (meta.validateSchema({ ...schema, $schema: undefined }) === true) return compileIssues(schema, path);
  // Each alternative form of a keyword reports a separate error. The first one is enough.
  const issues = (meta.errors ?? []).map((error) => issueOf(error, path));
  return issues
    .filter((issue, index) => issues.findIndex((other) => other.path === issue.path) === index)
    .slice(0, issuesMax);
}

function compileIssues(schema: JsonObject, path: string): InputIssue[] {
  try {
    compiled(schema);
    return [];
  } catch (error) {
    return [
      {
        path,
        message: `cannot be used: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not compile'}`,
      },
    ];
  }
}

/** Returns where configurations violate a schema, each below its own path. */
export function findInConfigs(
  schema: JsonObject,
  configs: readonly { config: JsonObject; path: string }[],
): InputIssue[] {
  const validate = compiled(schema);
  return configs
    .flatMap(({ config, path }) =>
      validate(config) ? [] : (validate.errors ?? []).slice(0, issuesMax).map((error) => issueOf(error, path)),
    )
    .slice(0, issuesMax);
}

/** Returns for each configuration whether it violates a schema. */
export function findViolating(schema: JsonObject, configs: readonly JsonObject[]): boolean[] {
  const validate = compiled(schema);
  return configs.map((config) => !validate(config));
}

type Draft = (typeof drafts)[keyof typeof drafts];

function draftOf(schema: JsonObject): Draft | undefined {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema;
  if (typeof $schema !== 'string') return undefined;
  const uri = $schema.replace(/#$/, '');
  return Object.entries(drafts).find(([known]) => known === uri || known.replace(/^http:/, 'https:') === uri)?.[1];
}

const metas = new Map<Draft, Ajv>();

/** Returns the validator of schemas of a draft. Compiling it takes a while, and it is the same for all schemas. */
function metaOf(draft: Draft): Ajv {
  let ajv = metas.get(draft);
  if (!ajv) {
    ajv = formats.default(new draft(options), knownFormats);
    void ajv.validateSchema({});
    metas.set(draft, ajv);
  }
  return ajv;
}

/** Those of this thread. A validator depends on the text of its schema only. */
const validators = new Recent<ValidateFunction>(200);

function compiled(schema: JsonObject): ValidateFunction {
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
  const validate = validators.get(key) ?? compile(schema);
  validators.set(key, validate);
  return validate;
}

function compile({ $schema, $id: _name, ...schema }: JsonObject): ValidateFunction {
  const draft = draftOf({ $schema }) ?? Ajv2020;
  return formats.default(new draft({ ...options, meta: false, validateSchema: false }), knownFormats).compile(schema);
}
