import {
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import type { InputIssue } from '../../lib/errors.ts';
import type { MergedField } from './selections.ts';

/** The maximum number of fields in an answer about the schema. The query of GraphQL's own tools has 32,000. */
const fieldsMax = 40_000;

const rootFields = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/**
 * The issue of an operation whose answer has too many fields about the schema. The bounds of depth and complexity do
 * not apply to introspection. The fields are counted on the schema itself, which is much faster than the answer is.
 */
export function tooMuchOfSchema(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  roots: readonly MergedField[],
  values: Readonly<Record<string, unknown>>,
): InputIssue | undefined {
  if (!roots.some(({ field }) => rootFields.has(field.name.value))) return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], values);
  const info = { schema } as GraphQLResolveInfo; // introspection reads nothing else of it
  let left = fieldsMax;

  function count(definition: GraphQLField<unknown, unknown>, source: unknown, { field, fields }: MergedField): void {
    const type = getNamedType(definition.type);
    if (!isObjectType(type)) return;
    const name = field.arguments?.find((argument) => argument.name.value === 'name')?.value;
    const given = { includeDeprecated: true, ...(name && { name: valueFromASTUntyped(name, coerced) }) };
    const definitions = type.getFields();
    for (const entry of [definition.resolve?.(source, given, undefined, info)].flat()) {
      if (entry == null) continue;
      left -= fields.length;
      for (const below of fields) {
        if (left < 0) return;
        const found = definitions[below.field.name.value];
        if (found) count(found, entry, below);
      }
    }
  }

  for (const root of roots) {
    const definition = rootFields.get(root.field.name.value);
    if (definition) count(definition, undefined, root);
  }
  if (left >= 0) return undefined;
  return { path: 'query', message: `must read at most ${fieldsMax} fields of the schema by introspection` };
}
