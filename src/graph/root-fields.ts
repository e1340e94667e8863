import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { InputIssue } from '../kit/errors.ts';
import { fragmentsOf, operationOf } from './document-parts.ts';
import { readDocument } from './read-document.ts';

/** The bounds of one operation. Each of its root fields is a call of its own (docs/contract/06-limits.md). */
const queryFieldsMax = 50;
const mutationFieldsMax = 10;

/**
 * The names of the root fields that an operation runs, in order. A field that is selected twice under one response name
 * runs once.
 */
export function rootFieldsOf(operation: OperationDefinitionNode, document: DocumentNode): string[] {
  const byResponseName = new Map<string, string>();
  addFields(operation.selectionSet, fragmentsOf(document), new Set(), byResponseName);
  return [...byResponseName.values()];
}

/** Each fragment is visited once: visited at each spread, nested fragments would cost exponential time. */
function addFields(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  visited: Set<string>,
  found: Map<string, string>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      found.set((selection.alias ?? selection.name).value, selection.name.value);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      addFields(selection.selectionSet, fragments, visited, found);
    } else if (!visited.has(selection.name.value)) {
      visited.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      if (fragment) addFields(fragment.selectionSet, fragments, visited, found);
    }
  }
}

/** The issue of an operation with too many root fields. */
export function tooManyRootFields(
  { operation }: OperationDefinitionNode,
  fields: readonly string[],
): InputIssue | undefined {
  const [noun, most] = operation === 'mutation' ? ['mutation', mutationFieldsMax] : ['root', queryFieldsMax];
  if (fields.length <= most) return undefined;
  return { path: 'query', message: `must have at most ${most} ${noun} fields in one operation, not ${fields.length}` };
}

/** The mutation fields of a request body, each once. Empty if there are none or the body cannot be parsed. */
export function mutationsAsked(schema: GraphQLSchema, body: Readonly<Record<string, unknown>> | null): string[] {
  const { query, operationName } = body ?? {};
  if (typeof query !== 'string') return [];
  const document = parsed(schema, query);
  if (!document) return [];
  const operation = operationOf(document, typeof operationName === 'string' ? operationName : null);
  if (operation?.operation !== 'mutation') return [];
  const known = schema.getMutationType()?.getFields() ?? {};
  const asked = rootFieldsOf(operation, document);
  return tooManyRootFields(operation, asked) ? [] : [...new Set(asked)].filter((name) => name in known);
}

function parsed(schema: GraphQLSchema, text: string): DocumentNode | null {
  try {
    return readDocument(schema, text);
  } catch {
    return null;
  }
}
