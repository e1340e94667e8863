import {
  type DocumentNode,
  GraphQLBoolean,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import type { InputIssue } from '../../lib/errors.ts';
import { scrub } from '../../observability/scrub.ts';
import { identifierProblem, listMaxOf, tooManyValues } from './rules.ts';

/** No input of the API nests deeper. Deeper ones could exhaust the stack. */
export const inputDepthMax = 64;

/** Bounds the size of the answer: otherwise a body could cause one ten times its own size. */
export const issuesMax = 100;

const nameShownMax = 60;

/** One variable of an operation, with its type looked up once. */
export interface VariablePlan {
  name: string;
  type: GraphQLInputType;
  /** The default value in the form in which it would be sent. Undefined if there is none. */
  rawDefault: unknown;
  /** The prefix of its paths. Empty for the object that is the whole body, so that paths are those of the body. */
  path: string;
}

export function planVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): VariablePlan[] {
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    // GraphQL's validation, which runs before the operation, rejects unknown types and types that are not inputs.
    if (!isInputType(type)) return [];
    const bare = isNonNullType(type) ? type.ofType : type;
    const isWholeBody = (name === 'input' || name === 'body') && isInputObjectType(bare);
    return [
      {
        name,
        type,
        rawDefault: definition.defaultValue && valueFromASTUntyped(definition.defaultValue),
        path: isWholeBody ? '' : name,
      },
    ];
  });
}

/** All invalid fields of an operation's variables, named as in the request. */
export function issuesOfPlan(
  plan: readonly VariablePlan[],
  rawVariables: Readonly<Record<string, unknown>>,
  dialect: Dialect = graphDialect,
): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const variable of plan) {
    const value = ownValue(rawVariables, variable.name);
    if (value === undefined && variable.rawDefault !== undefined) continue;
    collect(value, variable.type, variable.path, { issues, dialect }, 0);
  }
  return issues;
}

/** How the callers of a surface write inputs. */
export interface Dialect {
  /** An enum value: its name, or in REST the word that it stands for. */
  wordOf(value: GraphQLEnumValue): string;
  /** Whether the surface has an input field. REST has none of those that only people use. */
  hasField(field: GraphQLInputField): boolean;
}

const graphDialect: Dialect = { wordOf: ({ name }) => name, hasField: () => true };

interface Collection {
  issues: InputIssue[];
  dialect: Dialect;
}

function collect(value: unknown, type: GraphQLInputType, path: string, into: Collection, depth: number): void {
  const { issues, dialect } = into;
  if (issues.length >= issuesMax) return;
  if (isNonNullType(type)) {
    if (value === undefined) issues.push({ path, message: path === '' ? 'the body is required' : 'is required' });
    else if (value === null) issues.push({ path, message: 'must not be null' });
    else collect(value, type.ofType, path, into, depth);
    return;
  }
  if (value === undefined || value === null) return;
  if (depth > inputDepthMax) {
    issues.push({ path, message: `is nested deeper than ${inputDepthMax} levels` });
  } else if (isListType(type)) {
    // GraphQL reads a single value as a list with one value.
    if (!Array.isArray(value)) return collect(value, type.ofType, path, into, depth + 1);
    if (value.length > listMaxOf(type.ofType)) {
      issues.push({ path, message: tooManyValues(type.ofType) });
      return;
    }
    value.forEach((item: unknown, index) => collect(item ?? null, type.ofType, `${path}[${index}]`, into, depth + 1));
  } else if (isInputObjectType(type)) {
    collectObject(value, type, path, into, depth);
  } else {
    const message = isEnumType(type)
      ? enumProblem(value, type, dialect)
      : (scalarProblem(value, type) ?? unstorable(value, depth));
    if (message !== undefined) issues.push({ path, message });
  }
}

function collectObject(
  value: unknown,
  type: GraphQLInputObjectType,
  path: string,
  into: Collection,
  depth: number,
): void {
  const { issues, dialect } = into;
  const fields = Object.values(type.getFields()).filter((field) => dialect.hasField(field));
  const names = fields.map(({ name }) => name);
  if (!isJsonObject(value)) {
    issues.push({ path, message: `must be an object with ${names.join(', ')}, not ${nameOfJson(value)}` });
    return;
  }
  for (const name of Object.keys(value)) {
    if (issues.length >= issuesMax) return;
    if (!names.includes(name)) issues.push({ path: joinPath(path, name), message: unknownField(name, names) });
  }
  for (const field of fields) {
    const given = ownValue(value, field.name);
    if (given === undefined && field.defaultValue !== undefined) continue;
    collect(given, field.type, joinPath(path, field.name), into, depth + 1);
  }
  if (type.isOneOf) {
    const present = names.filter((name) => ownValue(value, name) !== undefined);
    if (present.length !== 1 || value[present[0] ?? ''] === null) {
      issues.push({ path, message: `must contain exactly one of ${names.join(', ')}` });
    }
  }
}

/** The top-level fields of a body that are not known. */
export function unknownFieldIssues(body: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): InputIssue[] {
  return Object.keys(body)
    .filter((name) => !known.has(name))
    .slice(0, issuesMax)
    .map((name) => ({ path: joinPath('', name), message: unknownField(name, [...known]) }));
}

function unknownField(name: string, known: readonly string[]): string {
  const near = name.length <= nameShownMax ? suggestionList(name, known)[0] : undefined;
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return known.length === 0
    ? 'is not a known field; none are taken here'
    : `is not a known field${hint}; known are ${known.join(', ')}`;
}

function enumProblem(value: unknown, type: GraphQLEnumType, { wordOf }: Dialect): string | undefined {
  const words = type.getValues().map(wordOf);
  return words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`;
}

function scalarProblem(value: unknown, type: GraphQLScalarType): string | undefined {
  // By name, since a schema that was parsed from text has only these five scalars in common.
  switch (type.name) {
    case GraphQLString.name:
    case GraphQLID.name: // GraphQL also takes whole numbers, which no identifier of the platform is
      if (typeof value !== 'string') return `must be a string, not ${nameOfJson(value)}`;
      return type.name === GraphQLID.name ? identifierProblem(value) : undefined;
    case GraphQLBoolean.name:
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${nameOfJson(value)}`;
    case GraphQLFloat.name:
      return Number.isFinite(value)
        ? undefined
        : typeof value === 'number'
          ? 'is too large a number'
          : `must be a number, not ${nameOfJson(value)}`;
    case GraphQLInt.name:
      if (typeof value !== 'number') return `must be a whole number, not ${nameOfJson(value)}`;
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31
        ? undefined
        : `must be a whole number between -2147483647 and 2147483647`;
    default:
      try {
        type.parseValue(value);
        return undefined;
      } catch (error) {
        const message = error instanceof Error ? error.message : `is not a valid ${type.name}`;
        return message + otherKind(value, type);
      }
  }
}

/** The kind of a value that is none of its scalar's kinds: `"2500"` looks like an amount and is a string. */
function otherKind(value: unknown, { extensions }: GraphQLScalarType): string {
  const schema: unknown = extensions['jsonSchema'];
  const kind = isJsonObject(schema) ? schema['type'] : undefined;
  const isOfKind = new Map<unknown, boolean>([
    ['string', typeof value === 'string'],
    ['integer', typeof value === 'number'],
    ['number', typeof value === 'number'],
    ['boolean', typeof value === 'boolean'],
    ['object', isJsonObject(value)],
  ]).get(kind);
  return isOfKind === false ? `, not ${nameOfJson(value)}` : '';
}

/**
 * Values that PostgreSQL cannot store: the character U+0000, and halves of surrogate pairs (in JSON columns). Also
 * bounds the depth.
 */
function unstorable(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
      ? 'must not contain the character U+0000 or half of a surrogate pair'
      : undefined;
  }
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'must not contain a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= inputDepthMax) return `is nested deeper than ${inputDepthMax} levels`;
  for (const [key, entry] of Object.entries(value)) {
    const problem = unstorable(key, depth) ?? unstorable(entry, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `a.b`, or `a["odd name"]` for a name that is not an identifier. */
export function joinPath(path: string, given: string): string {
  // A name may contain a card number or a key by mistake, and clients log answers.
  const name = scrub(given);
  const shown = name.length <= nameShownMax ? name : `${name.slice(0, nameShownMax).toWellFormed()}…`;
  if (!/^[A-Za-z_$][\w$-]*$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === '' ? shown : `${path}.${shown}`;
}

/** Own properties only: `constructor` and `__proto__` are inherited by every object. */
function ownValue(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nameOfJson(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    new Map([
      ['string', 'a string'],
      ['number', 'a number'],
      ['boolean', 'true or false'],
      ['object', 'an object'],
    ]).get(typeof value) ?? 'this'
  );
}

/**
 * Invalid literals of a document. They are not variables, and GraphQL's validation checks only their types. Paths are
 * those of the arguments.
 */
export function literalIssues(document: DocumentNode): InputIssue[] {
  const issues: InputIssue[] = [];
  const look = (node: { name: { value: string }; value: ValueNode }): false => {
    collectLiteral(node.value, node.name.value, issues, 0);
    return false;
  };
  visit(document, {
    Argument: look,
    VariableDefinition: ({ variable, defaultValue }) =>
      defaultValue ? look({ name: variable.name, value: defaultValue }) : undefined,
  });
  return issues;
}

function collectLiteral(node: ValueNode, path: string, issues: InputIssue[], depth: number): void {
  if (issues.length >= issuesMax) return;
  if (depth > inputDepthMax) issues.push({ path, message: `is nested deeper than ${inputDepthMax} levels` });
  else if (node.kind === Kind.LIST)
    node.values.forEach((item, index) => collectLiteral(item, `${path}[${index}]`, issues, depth + 1));
  else if (node.kind === Kind.OBJECT)
    for (const field of node.fields) collectLiteral(field.value, joinPath(path, field.name.value), issues, depth + 1);
  else {
    const value =
      node.kind === Kind.STRING
        ? node.value
        : node.kind === Kind.INT || node.kind === Kind.FLOAT
          ? Number(node.value)
          : null;
    const message = unstorable(value, depth);
    if (message !== undefined) issues.push({ path, message });
  }
}
