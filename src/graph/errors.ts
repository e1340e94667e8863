import { GraphQLError } from 'graphql';
import { DomainError, type PossibleEffect, Unavailable } from '../lib/errors.ts';
import { isOutage, outageName } from '../lib/outage.ts';
import { scrub } from '../observability/scrub.ts';
import type { Services } from '../services.ts';

/** Properties of a call that failed. */
export interface FailedCall {
  /** What it may have done. */
  effect: PossibleEffect;
  /** Whether it has an idempotency key. */
  hasKey: boolean;
}

/** The error for the client; undefined for a fault of the platform. */
export function clientErrorOf(error: unknown, { effect, hasKey }: FailedCall): DomainError | undefined {
  const thrown = thrownIn(error);
  if (thrown instanceof DomainError) return thrown;
  return isOutage(thrown) ? new Unavailable(effect, { hasKey, cause: thrown }) : undefined;
}

/** The error that a resolver threw, without the wrapper of the GraphQL executor, whose stack is not useful. */
export function thrownIn(error: unknown): unknown {
  const inner: unknown = error instanceof Error && 'originalError' in error ? error.originalError : undefined;
  return inner === undefined || inner === null ? error : thrownIn(inner);
}

/**
 * Translates an error for GraphQL clients. Domain errors keep their message; errors of GraphQL itself (syntax, unknown
 * fields, depth) are invalid input; all others are bugs, which are logged and answered with a fixed message.
 */
export function toGraphQLError(services: ErrorServices, error: unknown, call: FailedCall = ofNoCall): GraphQLError {
  if (error instanceof GraphQLError && translated.has(error)) return error;
  const result = translate(services, error, call);
  translated.add(result);
  return result;
}

type ErrorServices = Pick<Services, 'log' | 'outages'>;
const ofNoCall: FailedCall = { effect: 'none', hasKey: false };

/** The error of a scalar. GraphQL puts the value and its position before the message. */
export class InvalidValueError extends Error {}

/** A message of GraphQL repeats the whole literal that it rejects. */
const messageLengthMax = 1_000;

function shortened(message: string): string {
  return message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax).toWellFormed()}…`;
}

/** Errors are translated when they are thrown and again when the answer is assembled. */
const translated = new WeakSet<GraphQLError>();

function translate(services: ErrorServices, error: unknown, call: FailedCall): GraphQLError {
  const domainError = clientErrorOf(error, call);
  const where =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {};
  if (domainError) {
    const { message, code, data, status } = domainError;
    if (domainError instanceof Unavailable) services.outages.note('/graphql', outageName(domainError));
    return new GraphQLError(message, { ...where, extensions: { code, data, ...httpOf(error, status) } });
  }
  if (
    error instanceof GraphQLError &&
    (error.originalError === undefined ||
      error.originalError === null ||
      error.originalError instanceof InvalidValueError)
  ) {
    // A message of GraphQL repeats the literal that it rejects, which may be a card number.
    const message = shortened(scrub(error.message));
    // set by the GraphQL server for some errors
    const { http } = error.extensions as { http?: { status?: number } };
    // The server itself rejects a mutation sent by GET, for every content type.
    if (http?.status === 405)
      return new GraphQLError(message, { ...where, extensions: { code: 'METHOD_NOT_ALLOWED', data: {}, http } });
    const issues = [{ path: 'query', message }];
    return new GraphQLError(message, {
      ...where,
      extensions: { code: 'INPUT_PARSE_ERROR', data: { issues }, ...httpOf(error, 400) },
    });
  }
  services.log.error({ err: error }, 'A GraphQL operation failed with an unexpected error.');
  const message = 'Internal error. Contact support with the Request-Id.';
  return new GraphQLError(message, { ...where, extensions: { code: 'INTERNAL_SERVER_ERROR', data: {} } });
}

/**
 * A rejected request has an HTTP status for clients that accept `application/graphql-response+json`. An error inside an
 * operation that ran has none, since the rest of the answer is valid (GraphQL over HTTP). A method that is not allowed
 * is 405 for every client, with the `Allow` header of the server. The server removes this extension from the answer.
 */
function httpOf(error: unknown, status: number): { http?: object } {
  const own: unknown = error instanceof GraphQLError ? error.extensions['http'] : undefined;
  if (typeof own === 'object' && own !== null && 'status' in own && own.status === 405) return { http: own };
  return error instanceof GraphQLError && error.path ? {} : { http: { spec: true, status } };
}
