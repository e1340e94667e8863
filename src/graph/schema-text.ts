import { setImmediate as otherWork } from 'node:timers/promises';
import {
  buildSchema,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printType,
} from 'graphql';

const typesAtOnce = 20;

/** Prints the types of a schema in parts, between which the process does other work. */
export async function textOf(schema: GraphQLSchema): Promise<string> {
  const parts: string[] = [];
  for (const [index, type] of Object.values(schema.getTypeMap()).entries()) {
    if (!isIntrospectionType(type) && !isSpecifiedScalarType(type)) parts.push(printType(type));
    if (index % typesAtOnce === 0) await otherWork();
  }
  return parts.join('\n\n');
}

/**
 * The schema parsed from such a text. Introspection gives the same answers as for the original, which is also sorted by
 * name. Its fields have no resolvers.
 */
export function schemaOf(text: string): GraphQLSchema {
  return lexicographicSortSchema(buildSchema(text));
}
