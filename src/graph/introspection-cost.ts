import {
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql';
import { invalid } from '../kit/errors.ts';
import { fragmentsOf, operationOf } from './document-parts.ts';
import { type MergedField, mergeFields } from './merge-fields.ts';

/** How much more than the query of GraphQL's own tools an operation may read of the schema. */
const share = 1.25;

/**
 * The share of types that wrap another one. Without it, the many levels of `ofType` of the tools would count in full.
 */
const wrapped = 0.4;

/** How many entries the lists of the introspection types have. */
interface Sizes {
  /** All entries together, by the path of the list. */
  total: Readonly<Record<string, number>>;
  /** The entries of the longest list, by its name. For lists at other paths. */
  longest: Readonly<Record<string, number>>;
  /** The cost of the query of GraphQL's own tools. */
  whole: number;
}

/**
 * Refuses an operation that reads the schema several times over. Introspection has no resolvers, so the bounds of depth
 * and complexity do not apply to it, and everybody may use it.
 */
export function assertAffordable(schema: GraphQLSchema, fields: readonly MergedField[]): void {
  const roots = fields.filter(({ name }) => name === '__schema' || name === '__type');
  if (roots.length === 0) return;
  const sizes = sizesOf(schema);
  if (costOf(roots, '', 1, sizes) > sizes.whole * share)
    throw invalid('query', 'must not read more of the schema than the introspection query of GraphQL tools does');
}

/** How many fields the answer has, at most. */
function costOf(fields: readonly MergedField[], path: string, count: number, sizes: Sizes): number {
  return fields.reduce((cost, { name, fields: below }) => {
    const here = `${path}/${name}`;
    const entries = sizes.total[here] ?? count * (sizes.longest[name] ?? (name === 'ofType' ? wrapped : 1));
    return cost + count + costOf(below, here, entries, sizes);
  }, 0);
}

const known = new WeakMap<GraphQLSchema, Sizes>();

function sizesOf(schema: GraphQLSchema): Sizes {
  const sizes = known.get(schema) ?? measure(schema);
  known.set(schema, sizes);
  return sizes;
}

function measure(schema: GraphQLSchema): Sizes {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const composite = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = composite.map((type) => Object.values(type.getFields()));
  const lengths = {
    types: [types.length],
    directives: [directives.length],
    fields: fields.map(({ length }) => length),
    args: fields.flat().map(({ args }) => args.length),
    inputFields: types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length),
    enumValues: types.filter(isEnumType).map((type) => type.getValues().length),
    interfaces: composite.map((type) => type.getInterfaces().length),
    possibleTypes: types.filter(isInterfaceType).map((type) => schema.getPossibleTypes(type).length),
  };
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const root = '/__schema/types';
  const total = {
    [root]: types.length,
    [`${root}/fields`]: sum(lengths.fields),
    [`${root}/fields/args`]: sum(lengths.args),
    [`${root}/inputFields`]: sum(lengths.inputFields),
    [`${root}/enumValues`]: sum(lengths.enumValues),
    [`${root}/interfaces`]: sum(lengths.interfaces),
    [`${root}/possibleTypes`]: sum(lengths.possibleTypes),
  };
  const longest = Object.fromEntries(
    Object.entries(lengths).map(([name, counts]) => [name, counts.reduce((most, count) => Math.max(most, count), 0)]),
  );
  const sizes = { total, longest, whole: 0 };
  return { ...sizes, whole: costOf(wholeQuery(), '', 1, sizes) };
}

function wholeQuery(): MergedField[] {
  const document = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  const operation = operationOf(document, null);
  return operation ? mergeFields(operation.selectionSet, fragmentsOf(document)) : [];
}
