import { type DocumentNode, executeSync, type GraphQLSchema, validate } from 'graphql';
import { readDocument, rootFieldsOf } from './bounds/document.ts';
import { operationOf } from './bounds/selections.ts';
import { schemaOf } from './schema-text.ts';

// Runs in a thread (bounds/introspection.ts), since reading the whole schema takes far longer than one request may
// take.

export interface SchemaQuestion {
  /** The schema as text. */
  schema: string;
  query: string;
  operationName: string | null;
  variables: Readonly<Record<string, unknown>>;
}

/**
 * The answer as JSON. Null if the GraphQL server must answer: the document is invalid, or it reads something besides
 * the schema, which requires a credential.
 */
type SchemaReply = string | null;

let known: { text: string; schema: GraphQLSchema } | undefined;

export function answer({ schema: text, query, operationName, variables }: SchemaQuestion): SchemaReply {
  if (known?.text !== text) known = { text, schema: schemaOf(text) };
  const { schema } = known;
  try {
    const document = readDocument(schema, query);
    const operation = operationOf(document, operationName);
    if (operation?.operation !== 'query') return null;
    if (!rootFieldsOf(operation, document).every((name) => ofSchema.has(name))) return null;
    return answerOf(schema, document, { operationName, variables });
  } catch {
    return null;
  }
}

const ofSchema = new Set(['__schema', '__type', '__typename']);

function answerOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: Pick<SchemaQuestion, 'operationName' | 'variables'>,
): SchemaReply {
  if (validate(schema, document).length > 0) return null;
  const { data, errors } = executeSync({ schema, document, operationName, variableValues: variables });
  return errors ? null : JSON.stringify({ data });
}
