import { executeSync, type GraphQLSchema, validate } from 'graphql';
import { operationOf } from './document-parts.ts';
import { readDocument } from './read-document.ts';
import { rootFieldsOf } from './root-fields.ts';

/** All answers together; one of the whole schema has about half a megabyte. */
const charactersMax = 8 * 1024 * 1024;

/** An answer, and the forms in which it has been sent, by their encoding. */
export interface PreparedAnswer {
  text: string;
  sent: Map<string, { body: Buffer; headers: Record<string, string> }>;
}

type SchemaAnswer = (body: Readonly<Record<string, unknown>>) => PreparedAnswer | undefined;

/**
 * The prepared answers of operations that read the schema and nothing else: they are the same for every caller, and
 * anybody may ask for them. Undefined for every other operation.
 */
export function schemaAnswers(schema: GraphQLSchema): SchemaAnswer {
  const prepared = new Map<string, PreparedAnswer>();
  let characters = 0;
  return ({ query, variables, operationName = null }) => {
    if (typeof query !== 'string' || !query.includes('__schema') || hasSome(variables)) return undefined;
    const key = JSON.stringify([query, operationName]);
    const known = prepared.get(key);
    if (known) return known;
    const text = answerOf(schema, query, operationName);
    if (text === undefined) return undefined;
    const answer = { text, sent: new Map() };
    if (text.length + key.length > charactersMax / 4) return answer;
    prepared.set(key, answer);
    characters += text.length + key.length;
    for (const [oldest, { text: itsText }] of prepared) {
      if (characters <= charactersMax) break;
      prepared.delete(oldest);
      characters -= oldest.length + itsText.length;
    }
    return answer;
  };
}

/** Undefined if the GraphQL server must answer: the document is wrong, or it has more than this one field. */
function answerOf(schema: GraphQLSchema, query: string, operationName: unknown): string | undefined {
  if (operationName !== null && typeof operationName !== 'string') return undefined;
  try {
    const document = readDocument(schema, query);
    const operation = operationOf(document, operationName);
    if (operation?.operation !== 'query' || operation.variableDefinitions?.length) return undefined;
    if (rootFieldsOf(operation, document).join() !== '__schema' || validate(schema, document).length > 0)
      return undefined;
    const { data, errors } = executeSync({ schema, document, operationName });
    return errors ? undefined : JSON.stringify({ data });
  } catch {
    return undefined; // the GraphQL server says why
  }
}

function hasSome(variables: unknown): boolean {
  return typeof variables === 'object' && variables !== null && Object.keys(variables).length > 0;
}
