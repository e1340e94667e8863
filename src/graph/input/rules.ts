import {
  GraphQLError,
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  type ValidationRule,
} from 'graphql';
import type { InputIssue } from '../../lib/errors.ts';

/**
 * Rules of inputs that the types of GraphQL cannot express. They are extensions of the schema, and `brokenRules`
 * enforces them for the arguments of every field.
 */
interface Extended {
  extensions: Readonly<Record<string | symbol, unknown>>;
}

/** A field of an input, or an argument. */
interface Input extends Extended {
  name: string;
  type: GraphQLInputType;
}

/** The length of an identifier. Those of the platform have about 30 characters, those of identity providers up to 64. */
const identifierMax = 100;

/** Bounds what a call may leave in the audit log and in its indexes. */
export function identifierProblem(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > identifierMax
    ? `must be an identifier of at most ${identifierMax} characters`
    : undefined;
}

/** Options of an optional field, argument or input type that may be omitted and must not be null. */
export const notNull = { extensions: { isNotNull: true } } as const;

/** Options of an input of which the caller gives exactly one of these fields. */
export function exactlyOneOf(...fields: [string, string, ...string[]]): { extensions: { exactlyOneOf: string[] } } {
  return { extensions: { exactlyOneOf: fields } };
}

/** The values of a field's arguments that break a rule, wherever they were written. Paths are those of the request. */
export function brokenRules(
  args: readonly Input[],
  values: Readonly<Record<string, unknown>>,
  isLive: boolean,
): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const argument of args) {
    // The object that is the whole body of a request has no path.
    const { name, type } = argument;
    const isWholeBody = name === 'input' && isInputObjectType(isNonNullType(type) ? type.ofType : type);
    collectBroken(values[name], argument, isWholeBody ? '' : name, { issues, isLive });
  }
  return issues;
}

function collectBroken(
  value: unknown,
  input: Extended & { type: GraphQLInputType },
  path: string,
  into: { issues: InputIssue[]; isLive: boolean },
  of?: GraphQLInputObjectType,
): void {
  const add = (message: string, at = path) => void into.issues.push({ path: at, message });
  const type = getNamedType(input.type);
  if (value === undefined) return;
  if (value === null) {
    if (refusesNull(input, of)) add('must not be null; omit it instead');
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => collectBroken(item, { type, extensions: {} }, `${path}[${index}]`, into));
  } else if (isInputObjectType(type)) {
    const object = value as Readonly<Record<string, unknown>>; // GraphQL has coerced it
    const within = (name: string) => (path === '' ? name : `${path}.${name}`);
    const alternatives = alternativesOf(type);
    const [first = '', ...others] = alternatives.filter((name) => object[name] != null);
    if (alternatives.length > 0 && first === '')
      add(`is required, or ${alternatives.slice(1).join(' or ')} instead`, within(alternatives[0] ?? ''));
    for (const name of others) add(`cannot be combined with ${first}: exactly one of them is required`, within(name));
    for (const field of Object.values(type.getFields()))
      collectBroken(object[field.name], field, within(field.name), into, type);
  } else if (type === GraphQLID) {
    const problem = identifierProblem(value);
    if (problem !== undefined) add(problem);
  } else if (into.isLive && type.extensions['isHttpsWhenLive'] === true && typeof value === 'string') {
    if (!/^https:/i.test(value)) add('must be an https address in live mode');
  }
}

/**
 * Whether null is an error for a field of an input, or an argument. A filter without a value must not match everything.
 */
export function refusesNull(field: Extended & { type: GraphQLInputType }, of?: GraphQLInputObjectType): boolean {
  const { extensions } = getNamedType(field.type);
  return (
    field.extensions['isNotNull'] === true || extensions['isNotNull'] === true || of?.name.endsWith('Filters') === true
  );
}

/** The fields of which exactly one must be given. Empty for most inputs. */
export function alternativesOf({ extensions }: GraphQLInputObjectType): readonly string[] {
  const fields: unknown = extensions['exactlyOneOf'];
  // set by `exactlyOneOf` only
  return Array.isArray(fields) ? (fields as string[]) : [];
}

/** The maximum number of values of a list in the input, unless the type of the values sets another. */
const listMaxDefault = 100;

declare module 'graphql' {
  export interface GraphQLInputObjectTypeExtensions {
    /** The maximum number of values of a list of this type. */
    listMax?: number;
  }
}

/**
 * The maximum number of values of a list of this type. Every list in the input has such a bound, which is checked
 * before the values: otherwise a body of a megabyte could contain some hundred thousand.
 */
export function listMaxOf(type: GraphQLInputType): number {
  const own = getNamedType(type).extensions['listMax'];
  return typeof own === 'number' ? own : listMaxDefault;
}

export function tooManyValues(type: GraphQLInputType): string {
  return `must contain at most ${listMaxOf(type)} items`;
}

/** The same bound for the lists that are written in a document. */
export const listLengthRule: ValidationRule = (context) => ({
  ListValue(node) {
    const type = context.getInputType(); // that of the values
    if (!type || node.values.length <= listMaxOf(type)) return undefined;
    context.reportError(new GraphQLError(`A list in the document ${tooManyValues(type)}.`, { nodes: node }));
    return false;
  },
});

/** The number of values in all lists of an argument. Each use of a variable counts. */
export function valuesIn(argument: unknown): number {
  if (Array.isArray(argument)) return argument.length;
  if (typeof argument !== 'object' || argument === null || argument instanceof Date) return 0;
  return Object.values(argument).reduce<number>((count, value) => count + valuesIn(value), 0);
}
