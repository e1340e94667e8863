import { createHash } from 'node:crypto';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import type { JsonObject } from '../../graph/builder.ts';
import { issuesMax } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { linearPattern, schemaLimitIssues } from './schema-limits.ts';
import { issueOf } from './violations.ts';

// No static bound catches every schema that is slow on some value, so these functions run in a worker thread, which is
// terminated when it takes too long (schema-thread.ts).

const drafts = {
  'https://json-schema.org/draft/2020-12/schema': Ajv2020,
  'http://json-schema.org/draft-07/schema': Ajv,
} as const;

export const draftNames = Object.keys(drafts);

/** The formats whose patterns take about linear time on strings of the size a configuration may have. */
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
  // Keywords beside those of the standard are allowed: forms use them.
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
    return [{ path: `${path}.$schema`, message: `must be one of ${draftNames.join(', ')}, or left out for the first` }];
  const limits = schemaLimitIssues(schema, path);
  if (limits.length > 0) return limits.slice(0, issuesMax);
  const meta = metaOf(draft);
  if (meta.validateSchema({ ...schema, $schema: undefined }) === true) return compileIssues(schema, path);
  // Each alternative form of a keyword reports an error of its own. The first one is enough.
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

const validators = new Map<string, ValidateFunction>();
const validatorsMax = 200;

/** Returns the compiled schema from a least-recently-used cache of this thread. It depends on the text only. */
function compiled(schema: JsonObject): ValidateFunction {
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
  const validate = validators.get(key) ?? compile(schema);
  validators.delete(key);
  if (validators.size >= validatorsMax) validators.delete(validators.keys().next().value ?? '');
  validators.set(key, validate);
  return validate;
}

function compile({ $schema, $id: _name, ...schema }: JsonObject): ValidateFunction {
  const draft = draftOf({ $schema }) ?? Ajv2020;
  return formats.default(new draft({ ...options, meta: false, validateSchema: false }), knownFormats).compile(schema);
}
