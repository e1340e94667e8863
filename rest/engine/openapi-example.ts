import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql';

/** A field of a body, as a variable or as a field of an input object. */
export interface ExampleField {
  name: string;
  type: GraphQLInputType;
}

/**
 * The smallest body an endpoint takes: what is required and nothing else. A reader who presses "send" on a list then gets the list;
 * a body of every optional field, each with a made-up value, would get a 400.
 */
export function smallestExample(fields: readonly ExampleField[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => [name, valueOf(name, type)]));
}

function valueOf(name: string, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return valueOf(name, type.ofType);
  if (isListType(type)) return [valueOf(name, type.ofType)];
  if (isInputObjectType(type)) return smallestExample(Object.values(type.getFields()).filter((field) => field.defaultValue === undefined));
  if (isEnumType(type)) return type.getValues()[0]?.name;
  const schema: unknown = isScalarType(type) ? type.extensions['jsonSchema'] : undefined;
  return (schema && sampleOf(schema)) ?? { Int: 1, Float: 1, Boolean: true }[type.name] ?? `<${name}>`;
}

function sampleOf(schema: object | string | number | boolean): unknown {
  const { examples, enum: values, format, minimum, type } = schema as { [keyword: string]: unknown }; // a scalar's jsonSchema is an object of keywords
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  if (format === 'email') return 'ada@example.com';
  if (format === 'uri') return 'https://example.com/';
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  if (type === 'object') return {};
  return minimum;
}
