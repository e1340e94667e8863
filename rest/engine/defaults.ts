import {
  astFromValue,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql';
import { type EnumWord, isJsonObject, type VariablePlan } from '../../src/graph/input.ts';

/** How REST writes a value of an enum: the word that it stands for, which may contain characters that no name may. */
export const wordOf: EnumWord = ({ value }) => String(value);

/**
 * Returns the variables as GraphQL takes them: words as names of enums, and the defaults of omitted values. graphql-jit
 * does not apply the default of a non-null type and reports "was not provided", so the defaults are added before it
 * runs.
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
  if (isEnumType(type)) return type.getValues().find((known) => wordOf(known) === value)?.name ?? value;
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

/** The schema stores defaults as internal values. An enum value in JSON may differ from its internal value. */
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
