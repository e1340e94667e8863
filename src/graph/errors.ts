import { GraphQLError } from 'graphql';
import type { Env } from '../env.ts';
import { DomainError } from '../kit/errors.ts';
import { scrub } from '../kit/log.ts';

/**
 * The one place where an error becomes what a GraphQL client sees. Domain errors keep their words; what GraphQL itself refused
 * (syntax, unknown fields, too deep) is invalid input; the rest is our bug, logged whole and answered with a fixed sentence.
 */
export function toGraphQLError(env: Pick<Env, 'log'>, error: unknown): GraphQLError {
  if (error instanceof GraphQLError && translated.has(error)) return error;
  const result = translate(env, error);
  translated.add(result);
  return result;
}

/** A scalar's refusal of a value, in plain words. GraphQL puts the value it found, and where, before them. */
export class UnfitValue extends Error {}

/** Errors pass here when they are thrown and again when the answer is put together. */
const translated = new WeakSet<GraphQLError>();

function translate(env: Pick<Env, 'log'>, error: unknown): GraphQLError {
  const domainError = domainErrorIn(error);
  const where =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {};
  if (domainError) {
    const { message, code, data, status } = domainError;
    return new GraphQLError(message, { ...where, extensions: { code, data, ...httpOf(error, status) } });
  }
  if (
    error instanceof GraphQLError &&
    (error.originalError === undefined || error.originalError === null || error.originalError instanceof UnfitValue)
  ) {
    // GraphQL's own words repeat the literal they refuse, which may be a card number.
    const message = scrub(error.message);
    const { http } = error.extensions as { http?: { status?: number } }; // the server's own, where it has said something
    // A change asked for by GET: whatever answer the client takes, this is no answer of the graph.
    if (http?.status === 405)
      return new GraphQLError(message, { ...where, extensions: { code: 'METHOD_NOT_ALLOWED', data: {}, http } });
    const issues = [{ path: 'query', message }];
    return new GraphQLError(message, {
      ...where,
      extensions: { code: 'INPUT_PARSE_ERROR', data: { issues }, ...httpOf(error, 400) },
    });
  }
  env.log.error({ err: error }, 'A GraphQL operation failed for a reason of ours.');
  const message = 'Something went wrong on our side. Quote the Request-Id header when you ask us about it.';
  return new GraphQLError(message, { ...where, extensions: { code: 'INTERNAL_SERVER_ERROR', data: {} } });
}

/**
 * A refused request has a status of its own for clients that speak `application/graphql-response+json`; an error inside an
 * operation that ran has none, since the rest of the answer stands (GraphQL over HTTP). A method that is not taken is 405 for every
 * client, with the `Allow` that the server gives. The server takes this out of the answer.
 */
function httpOf(error: unknown, status: number): { http?: object } {
  const own: unknown = error instanceof GraphQLError ? error.extensions['http'] : undefined;
  if (typeof own === 'object' && own !== null && 'status' in own && own.status === 405) return { http: own };
  return error instanceof GraphQLError && error.path ? {} : { http: { spec: true, status } };
}

function domainErrorIn(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  const inner: unknown = error instanceof GraphQLError ? error.originalError : undefined;
  return inner === undefined || inner === null ? undefined : domainErrorIn(inner);
}
