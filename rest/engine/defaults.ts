import {
  astFromValue,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql';
import { isJsonObject, type VariablePlan } from '../../src/graph/input.ts';

/**
 * The variables with what was left out and has a default. graphql-jit knows defaults, except where the type is also not nullable:
 * there it says "was not provided". So those are filled in before it looks, as if the client had sent them.
 */
export function withDefaults(
  plan: readonly VariablePlan[],
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const { name, type, rawDefault } of plan) {
    const value = variables[name] === undefined ? rawDefault : variables[name];
    if (value !== undefined) filled[name] = fill(value, type);
  }
  return filled;
}

function fill(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return fill(value, type.ofType);
  if (isListType(type))
    return Array.isArray(value) ? value.map((item: unknown) => fill(item, type.ofType)) : fill(value, type.ofType);
  if (!isInputObjectType(type) || !isJsonObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const { name, type: fieldType, rawDefault } of fieldsOf(type)) {
    if (Object.hasOwn(value, name)) filled[name] = fill(value[name], fieldType);
    else if (rawDefault !== undefined) filled[name] = rawDefault;
  }
  return filled;
}

interface InputField {
  name: string;
  type: GraphQLInputType;
  rawDefault: unknown;
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, readonly InputField[]>();

/** Defaults stand in the schema as resolvers see them; on the wire an enum value may be spelt otherwise. */
function fieldsOf(type: GraphQLInputObjectType): readonly InputField[] {
  let fields = fieldsByType.get(type);
  if (!fields) {
    fields = Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => {
      const literal = defaultValue === undefined ? null : astFromValue(defaultValue, fieldType);
      return { name, type: fieldType, rawDefault: literal ? valueFromASTUntyped(literal) : undefined };
    });
    fieldsByType.set(type, fields);
  }
  return fields;
}
