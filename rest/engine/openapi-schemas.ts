import {
  astFromValue,
  type FieldNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { EndpointDocument } from './document.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** Named schemas of the endpoints: inputs, enums, scalars, and responses that are defined as fragments. */
export type Components = Map<string, JsonSchema>;

const builtIn: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

export function inputSchema(type: GraphQLInputType, components: Components): JsonSchema {
  if (!isNonNullType(type)) return orNull(nonNullInput(type, components));
  return nonNullInput(type.ofType, components);
}

function nonNullInput(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return nonNullInput(type.ofType, components);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, components) };
  if (isInputObjectType(type)) {
    return component(type.name, components, () => inputObjectSchema(type, components));
  }
  return leafSchema(type, components);
}

/** The schema of an input object. Unknown fields are errors, except at the top level of the body of a list. */
export function inputObjectSchema(type: GraphQLInputObjectType, components: Components, isOpen = false): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields
    .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
    .map(({ name }) => name);
  return {
    type: 'object',
    ...described(type.description),
    properties: Object.fromEntries(
      fields.map((field) => {
        const literal = field.defaultValue === undefined ? null : astFromValue(field.defaultValue, field.type);
        return [
          field.name,
          annotated(inputSchema(field.type, components), {
            ...described(field.description),
            ...(literal && { default: valueFromASTUntyped(literal) }),
          }),
        ];
      }),
    ),
    ...(required.length > 0 && { required }),
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
    ...(!isOpen && { additionalProperties: false }),
  };
}

/** The schema of a response, which contains the selected fields only. */
export function outputSchema(
  schema: GraphQLSchema,
  document: EndpointDocument,
  type: GraphQLOutputType,
  node: FieldNode,
  components: Components,
): JsonSchema {
  if (!isNonNullType(type)) return orNull(nonNullOutput(schema, document, type, node, components));
  return nonNullOutput(schema, document, type.ofType, node, components);
}

function nonNullOutput(
  schema: GraphQLSchema,
  document: EndpointDocument,
  type: GraphQLOutputType,
  node: FieldNode,
  components: Components,
): JsonSchema {
  if (isNonNullType(type)) return nonNullOutput(schema, document, type.ofType, node, components);
  if (isListType(type)) return { type: 'array', items: outputSchema(schema, document, type.ofType, node, components) };
  if (!node.selectionSet) return leafSchema(type, components);
  return selectionSchema(schema, document, type, node.selectionSet, components);
}

function selectionSchema(
  schema: GraphQLSchema,
  document: EndpointDocument,
  type: GraphQLNamedType,
  selections: SelectionSetNode,
  components: Components,
): JsonSchema {
  const [only] = selections.selections;
  if (only?.kind === Kind.FRAGMENT_SPREAD && selections.selections.length === 1) {
    const fragment = document.fragments.get(only.name.value);
    if (fragment)
      return component(only.name.value, components, () =>
        selectionSchema(schema, document, type, fragment.selectionSet, components),
      );
  }
  const properties: Record<string, JsonSchema> = {};
  const required = new Set<string>();
  collectFields(type, selections, true);
  return {
    type: 'object',
    ...described(type.description),
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };

  function collectFields(parent: GraphQLNamedType, set: SelectionSetNode, isCertain: boolean): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const field =
          isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[selection.name.value] : undefined;
        if (!field) continue;
        const key = (selection.alias ?? selection.name).value;
        const isOmitted = selection.directives?.some((directive) => directive.name.value === 'omitNull') ?? false;
        const value = isOmitted
          ? nonNullOutput(schema, document, field.type, selection, components)
          : outputSchema(schema, document, field.type, selection, components);
        properties[key] = annotated(value, described(field.description));
        if (isCertain && !isOmitted) required.add(key);
      } else {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? document.fragments.get(selection.name.value) : selection;
        const narrowed = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : parent;
        if (fragment && narrowed)
          collectFields(narrowed, fragment.selectionSet, isCertain && narrowed.name === parent.name);
      }
    }
  }
}

function leafSchema(type: GraphQLInputType | GraphQLOutputType, components: Components): JsonSchema {
  const named = getNamedType(type);
  const simple = builtIn[named.name];
  if (simple) return simple;
  return component(named.name, components, () => {
    if (isEnumType(named))
      return { type: 'string', ...described(named.description), enum: named.getValues().map(({ name }) => name) };
    const own: unknown = isScalarType(named) ? named.extensions['jsonSchema'] : undefined;
    return { ...(typeof own === 'object' && own), ...described(named.description) };
  });
}

function component(name: string, components: Components, build: () => JsonSchema): JsonSchema {
  if (!components.has(name)) {
    // Set before it is built, because a type may contain itself.
    components.set(name, {});
    components.set(name, build());
  }
  return { $ref: `#/components/schemas/${name}` };
}

function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string' && !schema['enum']
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

function annotated(schema: JsonSchema, annotations: JsonSchema): JsonSchema {
  return { ...schema, ...annotations };
}

export function described(description: string | null | undefined): JsonSchema {
  return description ? { description } : {};
}
