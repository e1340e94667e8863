import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject, issuesMax } from '../graph/input.ts';
import type { InputIssue } from '../kit/errors.ts';
import { linearPattern, schemaLimitIssues } from './schema-limits.ts';
import { issueOf, pathOf } from './violations.ts';

/** How long a schema may take to be judged and compiled, and one request's configurations to be checked. Honest ones take a few milliseconds. */
const schemaMaxMs = 1_000;
const checkMaxMs = 250;

const drafts = {
  'https://json-schema.org/draft/2020-12/schema': Ajv2020,
  'http://json-schema.org/draft-07/schema': Ajv,
} as const;

/** Those whose patterns take linear time, or nearly so on texts of the size a configuration may have. */
const knownFormats: FormatName[] = ['date', 'time', 'date-time', 'duration', 'uri', 'uri-reference', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'json-pointer'];

const options: Options = {
  allErrors: true,
  // What a form's drawer reads beside the standard's keywords is no mistake.
  strict: false,
  logger: false,
  // Names such as `toString` are not there until somebody sends them.
  ownProperties: true,
  inlineRefs: false,
  messages: true,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

/** What keeps a value from being the JSON Schema of configurations; nothing when it is one. */
export function schemaIssues(schema: JsonObject, path = 'schema'): InputIssue[] {
  const draft = draftOf(schema);
  if (!draft) return [{ path: `${path}.$schema`, message: `must be one of ${Object.keys(drafts).join(', ')}, or left out for the first` }];
  const meta = metaOf(draft);
  const found = within(schemaMaxMs, () => {
    const limits = schemaLimitIssues(schema, path);
    if (limits.length > 0) return limits;
    if (meta.validateSchema({ ...schema, $schema: undefined }) === true) return compileIssues(schema, path);
    // Of the ways a keyword may be written each complains for itself; the first one says enough.
    const issues = (meta.errors ?? []).map((error) => issueOf(error, path));
    return issues.filter((issue, index) => issues.findIndex((other) => other.path === issue.path) === index);
  });
  return found === timedOut ? [{ path, message: 'takes too long to be compiled: make it simpler' }] : found.slice(0, issuesMax);
}

function compileIssues(schema: JsonObject, path: string): InputIssue[] {
  try {
    keep(schema, compile(schema));
    return [];
  } catch (error) {
    return [{ path, message: `cannot be used: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not compile'}` }];
  }
}

/** Where configurations violate a schema, each named by the path it stands at. Without a schema anything goes. */
export function configIssues(schema: JsonObject | null, configs: readonly { config: JsonObject; path: string }[]): InputIssue[] {
  if (schema === null || configs.length === 0) return [];
  const validate = compiled(schema);
  const found = validate === timedOut ? timedOut : within(checkMaxMs, () => configs.flatMap(({ config, path }) => (validate(config) ? [] : (validate.errors ?? []).slice(0, issuesMax).map((error) => issueOf(error, path)))));
  // A schema that was taken may still be slow on some value; whoever sends that value hears it.
  if (found === timedOut) return [{ path: configs[0]?.path ?? '', message: 'takes too long to be checked against the schema: make it smaller' }];
  return found.slice(0, issuesMax);
}

/** Which of many configurations violate a schema. Those there was no time for count as violating: nobody has seen them not to. */
export function violatingOf(schema: JsonObject | null, configs: readonly JsonObject[]): boolean[] {
  if (schema === null || configs.length === 0) return configs.map(() => false);
  const validate = compiled(schema);
  const violating = configs.map(() => true);
  if (validate !== timedOut) within(checkMaxMs * 4, () => configs.forEach((config, index) => (violating[index] = !validate(config))));
  return violating;
}

/** Presets as they stand in a request: an object each, by name. */
export function presetIssues(presets: JsonObject, schema: JsonObject | null): InputIssue[] {
  const named = Object.entries(presets).map(([name, config]) => ({ config, path: pathOf('presets', [name]) }));
  const shapes = named.filter(({ config }) => !isJsonObject(config)).map(({ path }) => ({ path, message: 'must be an object of configuration values' }));
  return shapes.length > 0 ? shapes.slice(0, issuesMax) : configIssues(schema, named as { config: JsonObject; path: string }[]); // all are objects, as was just seen
}

type Draft = (typeof drafts)[keyof typeof drafts];

function draftOf(schema: JsonObject): Draft | undefined {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema;
  if (typeof $schema !== 'string') return undefined;
  const uri = $schema.replace(/#$/, '');
  return Object.entries(drafts).find(([known]) => known === uri || known.replace(/^http:/, 'https:') === uri)?.[1];
}

const metas = new Map<Draft, Ajv>();

/** Knows the draft's own schema, which takes a while to compile and is the same for all. */
function metaOf(draft: Draft): Ajv {
  let ajv = metas.get(draft);
  if (!ajv) {
    ajv = formats.default(new draft(options), knownFormats);
    ajv.validateSchema({});
    metas.set(draft, ajv);
  }
  return ajv;
}

const timedOut = Symbol('timed out');
const validators = new Map<string, ValidateFunction>();
const validatorsMax = 200;

/** The schema as a function. It depends on nothing but the schema's text, so every process may keep its own. */
function compiled(schema: JsonObject): ValidateFunction | typeof timedOut {
  const known = validators.get(keyOf(schema));
  const validate = known ?? within(schemaMaxMs, () => compile(schema));
  if (validate !== timedOut) keep(schema, validate);
  return validate;
}

function compile({ $schema, $id: _name, ...schema }: JsonObject): ValidateFunction {
  const draft = draftOf({ $schema }) ?? Ajv2020;
  return formats.default(new draft({ ...options, meta: false, validateSchema: false }), knownFormats).compile(schema);
}

/** The one that was used the longest ago goes. */
function keep(schema: JsonObject, validate: ValidateFunction): void {
  const key = keyOf(schema);
  validators.delete(key);
  if (validators.size >= validatorsMax) validators.delete(validators.keys().next().value ?? '');
  validators.set(key, validate);
}

function keyOf(schema: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
}

const surroundings = createContext({ work: undefined });
const runWork = new Script('work()');

/** Runs something of ours on something of a client's, and breaks it off when it takes too long: nothing else would give the thread back. */
function within<Result>(maxMs: number, work: () => Result): Result | typeof timedOut {
  let result: Result | typeof timedOut = timedOut;
  surroundings['work'] = () => {
    result = work();
  };
  try {
    runWork.runInContext(surroundings, { timeout: maxMs });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return timedOut;
    // A schema that refers to itself without end breaks off by itself.
    if (error instanceof RangeError) return timedOut;
    throw error;
  } finally {
    surroundings['work'] = undefined;
  }
  return result;
}

