import { type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { ownThread } from '../runtime/own-thread.ts';
import { isJsonObject } from './input.ts';
import type { answer, SchemaQuestion } from './schema-answers-thread.ts';
import { textOf } from './schema-text.ts';

/** All answers together; one of the whole schema has almost a megabyte. */
const charactersMax = 8 * 1024 * 1024;
/** A document of the usual tools has 2,000; none is looked up under a key of more. */
const keyCharactersMax = 20_000;

/** An answer, and the forms in which it has been sent, by their encoding. */
export interface PreparedAnswer {
  text: string;
  sent: Map<string, Promise<{ body: Buffer; headers: Record<string, string> }>>;
}

/** What a request asks, as it came. */
export interface GraphRequest {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

export interface SchemaAnswers {
  /**
   * The answer to an operation that reads the schema and nothing else: it is the same for every caller, and anybody may
   * ask for it. Undefined for every other operation, and for one that is wrong.
   */
  find(asked: GraphRequest): Promise<PreparedAnswer | undefined>;
  /** The data of the introspection query of GraphQL's own tools, with all that they may ask for, as JSON. */
  whole(): Promise<string>;
}

/** Answers what is read of the schema in a thread of its own, each document once, and keeps the newest answers. */
export function schemaAnswers(schema: GraphQLSchema): SchemaAnswers {
  const ask = ownThread<typeof answer>(new URL('schema-answers-thread.ts', import.meta.url));
  const kept = new Map<string, { prepared: Promise<PreparedAnswer | undefined>; characters: number }>();
  let characters = 0;
  let text: Promise<string> | undefined;

  async function prepare(question: Omit<SchemaQuestion, 'schema'>): Promise<PreparedAnswer | undefined> {
    const reply = await ask({ schema: await (text ??= textOf(schema)), ...question });
    return reply === null ? undefined : { text: reply, sent: new Map() };
  }

  /** What is asked meanwhile waits for the same answer. A wrong document is not kept. */
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
      const reply = await prepare({ query: wholeQuery, operationName: null, variables: {} });
      if (!reply) throw new Error('The introspection query of GraphQL was refused.');
      return reply.text.slice('{"data":'.length, -1);
    },
  };
}

const wholeQuery = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
});
