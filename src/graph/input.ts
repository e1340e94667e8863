import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import type { InputIssue } from '../kit/errors.ts';
import { scrub } from '../kit/log.ts';

/** No input of ours nests deeper; more is an attack on whoever walks it. */
export const inputDepthMax = 64;
/** Enough to mend a form in one go; a body of a megabyte could otherwise be answered with ten. */
export const issuesMax = 100;
const nameShownMax = 60;

/** One variable of an operation, with its type looked up once. */
export interface VariablePlan {
  name: string;
  type: GraphQLInputType;
  /** What stands for a variable that was not sent, as it would have been sent; undefined where there is no default. */
  rawDefault: unknown;
  /** What its paths begin with. Empty for the one object that is the whole body, so that paths read as the client wrote it. */
  path: string;
}

/**
 * Every wrong field of an operation's variables, in plain words. GraphQL's own coercion stops at the first field of an object
 * and speaks of variables and types; a partner wants all the wrong fields at once, named as in the request.
 */
export function inputIssues(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  rawVariables: Readonly<Record<string, unknown>>,
): InputIssue[] {
  return issuesOfPlan(planVariables(schema, definitions), rawVariables);
}

export function planVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): VariablePlan[] {
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    // A type that is unknown or no input is named by GraphQL's validation, which runs before the operation.
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

export function issuesOfPlan(
  plan: readonly VariablePlan[],
  rawVariables: Readonly<Record<string, unknown>>,
): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const variable of plan) {
    const value = ownValue(rawVariables, variable.name);
    if (value === undefined && variable.rawDefault !== undefined) continue;
    collect(value, variable.type, variable.path, issues, 0);
  }
  return issues;
}

function collect(value: unknown, type: GraphQLInputType, path: string, issues: InputIssue[], depth: number): void {
  if (issues.length >= issuesMax) return;
  if (isNonNullType(type)) {
    if (value === undefined) issues.push({ path, message: path === '' ? 'the body is required' : 'is required' });
    else if (value === null) issues.push({ path, message: 'must not be null' });
    else collect(value, type.ofType, path, issues, depth);
    return;
  }
  if (value === undefined || value === null) return;
  if (depth > inputDepthMax) {
    issues.push({ path, message: `is nested deeper than ${inputDepthMax} levels` });
  } else if (isListType(type)) {
    // A bare value where a list is expected is a list of one.
    if (!Array.isArray(value)) return collect(value, type.ofType, path, issues, depth + 1);
    value.forEach((item: unknown, index) => collect(item ?? null, type.ofType, `${path}[${index}]`, issues, depth + 1));
  } else if (isInputObjectType(type)) {
    collectObject(value, type, path, issues, depth);
  } else {
    const message = isEnumType(type)
      ? enumProblem(value, type)
      : (scalarProblem(value, type) ?? unstorable(value, depth));
    if (message !== undefined) issues.push({ path, message });
  }
}

function collectObject(
  value: unknown,
  type: GraphQLInputObjectType,
  path: string,
  issues: InputIssue[],
  depth: number,
): void {
  if (!isJsonObject(value)) {
    issues.push({ path, message: `must be an object, not ${nameOfJson(value)}` });
    return;
  }
  const fields = type.getFields();
  for (const name of Object.keys(value)) {
    if (issues.length >= issuesMax) return;
    if (!Object.hasOwn(fields, name))
      issues.push({ path: joinPath(path, name), message: unknownField(name, Object.keys(fields)) });
  }
  for (const field of Object.values(fields)) {
    const given = ownValue(value, field.name);
    if (given === undefined && field.defaultValue !== undefined) continue;
    collect(given, field.type, joinPath(path, field.name), issues, depth + 1);
  }
  if (type.isOneOf) {
    const present = Object.keys(fields).filter((name) => ownValue(value, name) !== undefined);
    if (present.length !== 1 || value[present[0] ?? ''] === null) {
      issues.push({ path, message: `must have exactly one of ${Object.keys(fields).join(', ')}` });
    }
  }
}

function unknownField(name: string, known: readonly string[]): string {
  const near = name.length <= nameShownMax ? suggestionList(name, known)[0] : undefined;
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return known.length === 0
    ? 'is not a known field; none are taken here'
    : `is not a known field${hint}; known are ${known.join(', ')}`;
}

function enumProblem(value: unknown, type: GraphQLEnumType): string | undefined {
  if (typeof value === 'string' && type.getValue(value)) return undefined;
  return `must be one of ${type
    .getValues()
    .map((entry) => entry.name)
    .join(', ')}`;
}

function scalarProblem(value: unknown, type: GraphQLScalarType): string | undefined {
  // By name, since a schema read from text has its own copies of nothing but these five.
  switch (type.name) {
    case GraphQLString.name:
      return typeof value === 'string' ? undefined : `must be a string, not ${nameOfJson(value)}`;
    case GraphQLID.name:
      return typeof value === 'string' || Number.isInteger(value)
        ? undefined
        : `must be a string, not ${nameOfJson(value)}`;
    case GraphQLBoolean.name:
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${nameOfJson(value)}`;
    case GraphQLFloat.name:
      return Number.isFinite(value)
        ? undefined
        : typeof value === 'number'
          ? 'is too large a number'
          : `must be a number, not ${nameOfJson(value)}`;
    case GraphQLInt.name:
      return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31
        ? undefined
        : `must be a whole number between -2147483647 and 2147483647`;
    default:
      try {
        type.parseValue(value);
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : `is not a valid ${type.name}`;
      }
  }
}

/**
 * What a document's own literals hold that no value may: they do not come through variables, and GraphQL's validation looks at
 * their types alone. Paths are those of the arguments.
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

/** What PostgreSQL cannot keep: the character U+0000, and halves of surrogate pairs (refused in JSON columns). Also bounds depth. */
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

/** `a.b`, and `a["odd name"]` for a name that would read as something else. */
export function joinPath(path: string, given: string): string {
  // A card number or a key may have slipped into a name, and answers end up in logs.
  const name = scrub(given);
  const shown = name.length <= nameShownMax ? name : `${name.slice(0, nameShownMax).toWellFormed()}…`;
  if (!/^[A-Za-z_$][\w$-]*$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === '' ? shown : `${path}.${shown}`;
}

/** Own properties only: a body may be asked for `constructor` or `__proto__` and must answer that it has none. */
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
    { string: 'a string', number: 'a number', boolean: 'true or false', object: 'an object' }[String(typeof value)] ??
    'this'
  );
}
