import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';

/**
 * A document with more tokens is refused while it is parsed, since the time of validation grows quadratically.
 */
export const tokensMax = 4_000;

/** The names of the root fields of an operation, in order, with repetitions. */
export function rootFieldsOf(operation: OperationDefinitionNode, document: DocumentNode): string[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return namesIn(operation.selectionSet, fragments);
}

function namesIn(selectionSet: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): string[] {
  return selectionSet.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value];
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection.selectionSet
        : fragments.get(selection.name.value)?.selectionSet;
    return inner ? namesIn(inner, fragments) : [];
  });
}

/** The operation of a document that a request names, or the only one. */
export function operationOf(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return name == null
    ? operations.length === 1
      ? operations[0]
      : undefined
    : operations.find((operation) => operation.name?.value === name);
}

/** The mutation fields of a request body, each once. Empty if there are none or the body cannot be parsed. */
export function mutationsAsked(schema: GraphQLSchema, body: Readonly<Record<string, unknown>> | null): string[] {
  const { query, operationName } = body ?? {};
  if (typeof query !== 'string') return [];
  const document = parsed(query);
  if (!document) return [];
  const operation = operationOf(document, typeof operationName === 'string' ? operationName : null);
  if (operation?.operation !== 'mutation') return [];
  const known = schema.getMutationType()?.getFields() ?? {};
  return [...new Set(rootFieldsOf(operation, document))].filter((name) => name in known);
}

function parsed(text: string): DocumentNode | null {
  try {
    return parse(text, { maxTokens: tokensMax });
  } catch {
    return null;
  }
}
