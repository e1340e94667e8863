import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { Context } from '../../call/context.ts';
import type { InputIssue } from '../../lib/errors.ts';
import type { MergedField } from './selections.ts';

/** Bounds of one operation, about the cost of a page whose items have a page each. */
const limits = { depth: 10, breadth: 300, complexity: 20_000 } as const;

/** The bound of depth, breadth or cost that an operation exceeds, before any part of it runs. Its variables are valid. */
export function tooComplex(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  roots: readonly MergedField[],
  variables: Record<string, unknown>,
  ctx: Context,
): InputIssue | undefined {
  // Introspection has a bound of its own.
  if (roots.every(({ field }) => field.name.value.startsWith('__'))) return undefined;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const own: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  const { depth, breadth, complexity } = complexityFromQuery(own, { schema, variables, ctx });
  const exceeded =
    (depth > limits.depth && 'depth') ||
    (breadth > limits.breadth && 'breadth') ||
    (complexity > limits.complexity && 'complexity');
  if (!exceeded) return undefined;
  return {
    path: 'query',
    message:
      `exceeds the query limits (${exceeded}): depth ${depth} of at most ${limits.depth}, breadth ${breadth} of ` +
      `${limits.breadth}, cost ${complexity} of ${limits.complexity}: request fewer items, by pageSize, or in several ` +
      'operations',
  };
}
