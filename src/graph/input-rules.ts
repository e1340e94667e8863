import { type GraphQLInputObjectType, type GraphQLInputType, getNamedType } from 'graphql';

/** Rules of inputs that the types of GraphQL cannot express. They are extensions of the schema. */
interface Extended {
  extensions: Readonly<Record<string | symbol, unknown>>;
}

/** Options of an optional field, argument or type of input that may be left out and must not be null. */
export const notNull = { extensions: { isNotNull: true } } as const;

/** Options of an input of which the caller gives exactly one of these fields. */
export function exactlyOneOf(...fields: [string, string, ...string[]]): { extensions: { exactlyOneOf: string[] } } {
  return { extensions: { exactlyOneOf: fields } };
}

/**
 * Whether null is an error for a field of an input, or an argument. A filter without a value must not match everything.
 */
export function refusesNull(field: Extended & { type: GraphQLInputType }, of?: GraphQLInputObjectType): boolean {
  const { extensions } = getNamedType(field.type);
  return (
    field.extensions['isNotNull'] === true || extensions['isNotNull'] === true || of?.name.endsWith('Filters') === true
  );
}

/** The fields of which exactly one must be given. Empty for most inputs. */
export function alternativesOf({ extensions }: GraphQLInputObjectType): readonly string[] {
  const fields: unknown = extensions['exactlyOneOf'];
  // set by `exactlyOneOf` only
  return Array.isArray(fields) ? (fields as string[]) : [];
}
