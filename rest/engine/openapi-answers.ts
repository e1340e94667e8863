import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type EndpointDocument, refuse } from './document.ts';
import {
  type Components,
  component,
  described,
  type JsonSchema,
  leafSchema,
  orNull,
  pascalCase,
  sharedComponent,
} from './openapi-schemas.ts';

/** What the schemas of one answer are made of. */
export interface AnswerSource {
  schema: GraphQLSchema;
  document: EndpointDocument;
  components: Components;
}

/** The schema of an answer, which contains the selected fields only. */
export function answerSchema(source: AnswerSource, type: GraphQLOutputType, node: FieldNode): JsonSchema {
  if (!isNonNullType(type)) return orNull(nonNullAnswer(source, type, node));
  return nonNullAnswer(source, type.ofType, node);
}

function nonNullAnswer(source: AnswerSource, type: GraphQLOutputType, node: FieldNode): JsonSchema {
  if (isNonNullType(type)) return nonNullAnswer(source, type.ofType, node);
  if (isListType(type)) return { type: 'array', items: answerSchema(source, type.ofType, node) };
  if (!node.selectionSet) return leafSchema(type, source.components);
  return objectReference(source, type, node.selectionSet);
}

/** A component with the name of the fragment, or of the type if the fields are selected in place. */
function objectReference(source: AnswerSource, type: GraphQLNamedType, set: SelectionSetNode): JsonSchema {
  const { document, components } = source;
  const [only] = set.selections;
  if (only?.kind === Kind.FRAGMENT_SPREAD && set.selections.length === 1) {
    const fragment = document.fragments.get(only.name.value);
    if (fragment)
      return component(pascalCase(only.name.value), components, () =>
        objectSchema(source, type, fragment.selectionSet),
      );
  }
  if (isUnionType(type)) return sharedComponent(type.name, components, unionSchema(source, type, set));
  const schema = objectSchema(source, type, set);
  try {
    return sharedComponent(type.name, components, schema);
  } catch (error) {
    return refuse(document.file, error instanceof Error ? error.message : String(error));
  }
}

/** Each member of a union is selected by a fragment of its own. */
function unionSchema(source: AnswerSource, union: GraphQLNamedType, { selections }: SelectionSetNode): JsonSchema {
  return {
    ...described(union.description),
    oneOf: selections.map((selection) => {
      const name = selection.kind === Kind.INLINE_FRAGMENT ? selection.typeCondition?.name.value : undefined;
      const member = name === undefined ? undefined : source.schema.getType(name);
      if (selection.kind !== Kind.INLINE_FRAGMENT || !isObjectType(member))
        return refuse(source.document.file, `${union.name} is a union: select each of its types with "... on".`);
      return objectReference(source, member, selection.selectionSet);
    }),
  };
}

function objectSchema(source: AnswerSource, type: GraphQLNamedType, set: SelectionSetNode): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  collectFields(set);
  return {
    type: 'object',
    ...described(type.description),
    properties,
    ...(required.length > 0 && { required }),
  };

  function collectFields({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!field) continue;
        const key = (selection.alias ?? selection.name).value;
        const isOmitted = selection.directives?.some((directive) => directive.name.value === 'omitNull') ?? false;
        const value = (isOmitted ? nonNullAnswer : answerSchema)(source, field.type, selection);
        properties[key] = { ...value, ...described(field.description) };
        if (!isOmitted) required.push(key);
      } else {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? source.document.fragments.get(selection.name.value) : selection;
        if (fragment) collectFields(fragment.selectionSet);
      }
    }
  }
}
