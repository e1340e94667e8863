import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';

/** A document of more tokens is refused before it is read to its end: validation takes time that grows with the square. */
export const tokensMax = 4_000;

/** The names of the root fields of an operation, in order, once for each time they are asked. */
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

/** The operation of a document that a request names, or its only one. */
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

/** Which changes a request body asks for, each once; none when it asks for none, or cannot be read. */
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
