import {
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql';
import { invalid } from '../../lib/errors.ts';
import { ownThread } from '../../runtime/own-thread.ts';
import { isJsonObject } from '../input/check.ts';
import type { answer, SchemaQuestion } from '../schema-answers-thread.ts';
import { textOf } from '../schema-text.ts';
import { fragmentsOf, type MergedField, mergeFields, operationOf } from './selections.ts';

/** How much of the schema an operation may read, as a multiple of the query of GraphQL's own tools. */
const share = 1.25;

/**
 * The share of types that wrap another one. Without it, the many levels of `ofType` in the tools' query would count in
 * full.
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
 * Rejects an operation that reads the schema several times over. Introspection has no resolvers, so the bounds of depth
 * and complexity do not apply to it, and every caller may use it.
 */
export function assertAffordable(schema: GraphQLSchema, fields: readonly MergedField[]): void {
  const roots = fields.filter(({ name }) => name === '__schema' || name === '__type');
  if (roots.length === 0) return;
  const sizes = sizesOf(schema);
  if (costOf(roots, '', 1, sizes) > sizes.whole * share)
    throw invalid('query', 'must not read more of the schema than the introspection query of GraphQL tools does');
}

/** The maximum number of fields in the answer. */
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

/** The maximum size of all cached answers together; one of the whole schema has almost a megabyte. */
const charactersMax = 8 * 1024 * 1024;
/** The maximum size of a key of the cache. A document of the usual tools has 2,000 characters. */
const keyCharactersMax = 20_000;

/** An answer, and its encoded forms, by encoding. */
export interface PreparedAnswer {
  text: string;
  sent: Map<string, Promise<{ body: Buffer; headers: Record<string, string> }>>;
}

/** The query of a request, as received. */
export interface GraphRequest {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

export interface SchemaAnswers {
  /**
   * The answer to an operation that reads only the schema, which is the same for every caller and public. Undefined for
   * every other operation, and for an invalid one.
   */
  find(asked: GraphRequest): Promise<PreparedAnswer | undefined>;
  /** The data of the introspection query of GraphQL's own tools, with everything that they may request, as JSON. */
  whole(): Promise<string>;
}

/**
 * Answers operations that read only the schema, in a separate thread, each document once, and caches the newest
 * answers.
 */
export function schemaAnswers(schema: GraphQLSchema): SchemaAnswers {
  const ask = ownThread<typeof answer>(new URL('../schema-answers-thread.ts', import.meta.url));
  const kept = new Map<string, { prepared: Promise<PreparedAnswer | undefined>; characters: number }>();
  let characters = 0;
  let text: Promise<string> | undefined;

  async function prepare(question: Omit<SchemaQuestion, 'schema'>): Promise<PreparedAnswer | undefined> {
    const reply = await ask({ schema: await (text ??= textOf(schema)), ...question });
    return reply === null ? undefined : { text: reply, sent: new Map() };
  }

  /** Concurrent requests wait for the same answer. The answer to an invalid document is not cached. */
  function keep(key: string, prepared: Promise<PreparedAnswer | undefined>): void {
    kept.set(key, { prepared, characters: key.length });
    characters += key.length;
    prepared.then(
      (made) => (made && made.text.length <= charactersMax / 4 ? grow(key, made) : drop(key)),
      () => drop(key),
    );
  }

  function grow(key: string, { text: itsText }: PreparedAnswer): void {
    const entry = kept.get(key);
    if (!entry) return;
    entry.characters += itsText.length;
    characters += itsText.length;
    for (const oldest of kept.keys()) {
      if (characters <= charactersMax) break;
      drop(oldest);
    }
  }

  function drop(key: string): void {
    characters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
  }

  return {
    async find({ query, variables, operationName = null }) {
      if (typeof query !== 'string' || !/__(schema|type)\b/.test(query)) return undefined;
      if (operationName !== null && typeof operationName !== 'string') return undefined;
      const values = variables ?? {};
      if (!isJsonObject(values)) return undefined;
      const question = { query, operationName, variables: values };
      const key = JSON.stringify(question);
      if (key.length > keyCharactersMax) return prepare(question);
      const known = kept.get(key)?.prepared;
      if (known) return known;
      const prepared = prepare(question);
      keep(key, prepared);
      return prepared;
    },
    async whole() {
      const reply = await prepare({ query: wholeQueryText, operationName: null, variables: {} });
      if (!reply) throw new Error('The introspection query of GraphQL was refused.');
      return reply.text.slice('{"data":'.length, -1);
    },
  };
}

const wholeQueryText = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
});
