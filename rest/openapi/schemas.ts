import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { restDescriptionOf } from '../../src/graph/plugins.ts';
import { type EndpointDocument, refuse } from '../engine/document.ts';
import { restDialect } from '../engine/variables.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** Named schemas of a document: requests, answers, inputs, enums and scalars. */
export type Components = Map<string, JsonSchema>;

const builtIn: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  ID: { type: 'string', maxLength: 100 },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

export function leafSchema(type: GraphQLInputType | GraphQLOutputType, components: Components): JsonSchema {
  const named = getNamedType(type);
  const simple = builtIn[named.name];
  if (simple) return simple;
  return component(named.name, components, () => {
    if (isEnumType(named))
      return { type: 'string', ...described(named.description), enum: named.getValues().map(restDialect.wordOf) };
    const own: unknown = isScalarType(named) ? named.extensions['jsonSchema'] : undefined;
    return { ...(typeof own === 'object' && own), ...described(named.description) };
  });
}

export function component(name: string, components: Components, build: () => JsonSchema): JsonSchema {
  if (!components.has(name)) {
    // Set before it is built, because a type may contain itself.
    components.set(name, {});
    components.set(name, build());
  }
  return refTo(name);
}

/** A component that several places describe. Throws if their descriptions differ. */
export function sharedComponent(name: string, components: Components, schema: JsonSchema): JsonSchema {
  const known = components.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(
      `Two endpoints describe ${name} differently. Give the fields that one of them selects a fragment with a name.`,
    );
  components.set(name, schema);
  return refTo(name);
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a component: `paymentResult` → `PaymentResult`, `payment/refundFailed` → `PaymentRefundFailed`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[/_])(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string' && !schema['enum']
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function described(description: string | null | undefined): JsonSchema {
  return description ? { description } : {};
}

/** The sources of the schemas of one answer. */
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
        objectSchema(source, type, fragment.selectionSet, descriptionOf(fragment)),
      );
  }
  if (isUnionType(type)) return sharedComponent(type.name, components, unionSchema(source, type, set));
  const schema = objectSchema(source, type, set);
  try {
    return sharedComponent(type.name, components, schema);
  } catch (error) {
    return refuse(document.source, error instanceof Error ? error.message : String(error));
  }
}

/** Each member of a union is selected by a separate fragment. */
function unionSchema(source: AnswerSource, union: GraphQLNamedType, { selections }: SelectionSetNode): JsonSchema {
  return {
    ...described(union.description),
    oneOf: selections.map((selection) => {
      const name = selection.kind === Kind.INLINE_FRAGMENT ? selection.typeCondition?.name.value : undefined;
      const member = name === undefined ? undefined : source.schema.getType(name);
      if (selection.kind !== Kind.INLINE_FRAGMENT || !isObjectType(member))
        return refuse(source.document.source, `${union.name} is a union: select each of its types with "... on".`);
      return objectReference(source, member, selection.selectionSet);
    }),
  };
}

/** The text of `@described`. */
function descriptionOf({ directives = [] }: FragmentDefinitionNode): string | undefined {
  const value = directives.find(({ name }) => name.value === 'described')?.arguments?.[0]?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

function objectSchema(
  source: AnswerSource,
  type: GraphQLNamedType,
  set: SelectionSetNode,
  description = type.description,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  collectFields(set);
  return {
    type: 'object',
    ...described(description),
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
        properties[key] = { ...value, ...described(restDescriptionOf(field)) };
        if (!isOmitted) required.push(key);
      } else {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? source.document.fragments.get(selection.name.value) : selection;
        if (fragment) collectFields(fragment.selectionSet);
      }
    }
  }
}
