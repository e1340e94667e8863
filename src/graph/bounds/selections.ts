import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { invalid } from '../../lib/errors.ts';

/** The fragments of a document by their names. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
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

/** A field with the fields selected below it, merged by response name as the executor merges them. */
export interface MergedField {
  /** The first of them: GraphQL refuses others with another name or other arguments. */
  field: FieldNode;
  fields: readonly MergedField[];
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * The fields and fragments that an operation selects, with its fragments expanded: nested ones double at each level.
 */
const selectionsMax = 500;

/** Validation compares each pair of fields that have the same parent and response name. */
const repetitionsMax = 10;

/** Merges a selection set with everything below it, and rejects it as soon as it exceeds the bounds. */
export function mergeFields(selectionSet: SelectionSetNode, fragments: Fragments): MergedField[] {
  return merge([selectionSet], fragments, { selections: selectionsMax });
}

/**
 * The root fields that an operation runs, in order. A field that is selected twice under one response name runs once.
 */
export function rootFieldsOf({ selectionSet }: OperationDefinitionNode, document: DocumentNode): MergedField[] {
  return mergeFields(selectionSet, fragmentsOf(document));
}

function merge(sets: readonly SelectionSetNode[], fragments: Fragments, left: { selections: number }): MergedField[] {
  const groups = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (--left.selections < 0)
        throw invalid('query', `must select at most ${selectionsMax} fields and fragments, with fragments expanded`);
      if (selection.kind === Kind.FIELD) addTo(groups, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) add(fragment.selectionSet);
      }
    }
  };
  sets.forEach(add);
  return [...groups.values()].flatMap((group) => {
    const below = group.flatMap(({ selectionSet }) => selectionSet ?? []);
    return group.slice(0, 1).map((field) => ({ field, fields: merge(below, fragments, left) }));
  });
}

function addTo(groups: Map<string, FieldNode[]>, field: FieldNode): void {
  const name = (field.alias ?? field.name).value;
  const group = groups.get(name);
  if (!group) groups.set(name, [field]);
  else if (group.push(field) > repetitionsMax)
    throw invalid('query', `must select ${name} at most ${repetitionsMax} times at one place`);
}
