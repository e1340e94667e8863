import { type GraphQLInputType, type GraphQLOutputType, getNamedType, isEnumType, isScalarType } from 'graphql';
import { wordOf } from './defaults.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** Named schemas of a document: requests, answers, inputs, enums and scalars. */
export type Components = Map<string, JsonSchema>;

const builtIn: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
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
      return { type: 'string', ...described(named.description), enum: named.getValues().map(wordOf) };
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

/** A component that several places describe. Throws if they do not agree on it. */
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

/** The name of a component: `paymentResult` → `PaymentResult`, `payment/refund_failed` → `PaymentRefundFailed`. */
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
