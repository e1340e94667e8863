import { GraphQLError } from 'graphql';
import type { Env } from '../env.ts';
import { DomainError } from '../kit/errors.ts';

/**
 * The one place where an error becomes what a GraphQL client sees. Domain errors keep their words; what GraphQL itself refused
 * (syntax, unknown fields, too deep) is invalid input; the rest is our bug, logged whole and answered with a fixed sentence.
 */
export function toGraphQLError(env: Pick<Env, 'log'>, error: unknown): GraphQLError {
  const domainError = domainErrorIn(error);
  const where = error instanceof GraphQLError ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path } : {};
  if (domainError) return new GraphQLError(domainError.message, { ...where, extensions: { code: domainError.code, data: domainError.data } });
  if (error instanceof GraphQLError && (error.originalError === undefined || error.originalError === null)) {
    const issues = [{ path: 'query', message: error.message }];
    return new GraphQLError(error.message, { ...where, extensions: { ...error.extensions, code: 'INPUT_PARSE_ERROR', data: { issues } } });
  }
  env.log.error({ err: error }, 'A GraphQL operation failed for a reason of ours.');
  const message = 'Something went wrong on our side. Quote the Request-Id header when you ask us about it.';
  return new GraphQLError(message, { ...where, extensions: { code: 'INTERNAL_SERVER_ERROR', data: {} } });
}

function domainErrorIn(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  const inner: unknown = error instanceof GraphQLError ? error.originalError : undefined;
  return inner === undefined || inner === null ? undefined : domainErrorIn(inner);
}
