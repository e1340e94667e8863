import { initGraphQLTada } from 'gql.tada';
import type { introspection, Scalars } from './schema-types.d.ts';

/** Makes a document of the graph. Its types follow from `schema.graphql`. */
export const graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars; disableMasking: true }>();

export type { ResultOf, VariablesOf } from 'gql.tada';
