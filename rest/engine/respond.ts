import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Env } from '../../src/env.ts';
import { DomainError } from '../../src/kit/errors.ts';
import { type Problem, problemOf, type Surface } from '../surfaces.ts';
import { exchangeOf } from './exchange.ts';

export type Headers = Record<string, string>;

/** What every JSON answer carries: it is for its caller alone, and no browser is to make a page of it. */
const fixedHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
};

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
  outside?: ReadonlyMap<string, number>,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  const exchange = exchangeOf(request);
  const answerHeaders: Record<string, string | number> = {
    ...fixedHeaders,
    'Request-Id': exchange.requestId,
    'Server-Timing': serverTiming(exchange.startedAt, outside),
    ...headers,
    'Content-Length': Buffer.byteLength(text),
  };
  // Node reads on and throws away what is left of a body; of one that is far too large the rest is refused.
  if (status === 413 && !request.complete) answerHeaders['Connection'] = 'close';
  response.writeHead(status, answerHeaders);
  response.end(text);
}

export function sendError(
  env: Pick<Env, 'log'>,
  surface: Surface,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  headers: Headers = {},
): void {
  const domainError = domainErrorOf(error);
  const { requestId, route } = exchangeOf(request);
  if (!domainError) env.log.error({ err: causeOf(error), requestId, route }, 'A request failed for a reason of ours.');
  else if (domainError.log)
    env.log.info({ requestId, route, code: domainError.code, ...domainError.log }, 'A request was refused.');
  const problem = domainError ? problemOf(surface, domainError) : ourBug(requestId);
  sendJson(request, response, problem.status, surface.errorBody(problem), { ...headers, ...domainError?.headers });
}

export function ourBug(requestId: string): Problem {
  return {
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Something went wrong on our side. Quote the request id when you ask us about it.',
    data: { requestId },
  };
}

/** The graph wraps what its resolvers throw; the error meant for the client is inside. */
export function domainErrorOf(error: unknown): DomainError | undefined {
  const cause = causeOf(error);
  return cause instanceof DomainError ? cause : undefined;
}

/** What a resolver threw, whose stack is the one worth reading, and not the graph's wrapping. */
function causeOf(error: unknown): unknown {
  const inner: unknown = error instanceof Error && 'originalError' in error ? error.originalError : undefined;
  return inner === undefined ? error : causeOf(inner);
}

/** `app` is our own share: the whole less what we waited for others. */
function serverTiming(startedAt: number, outside: ReadonlyMap<string, number> | undefined): string {
  const total = performance.now() - startedAt;
  if (!outside?.size) return `app;dur=${total.toFixed(1)}, total;dur=${total.toFixed(1)}`;
  let others = 0;
  let parts = '';
  for (const [name, ms] of outside) {
    others += ms;
    parts += `, ${name};dur=${ms.toFixed(1)}`;
  }
  return `app;dur=${Math.max(0, total - others).toFixed(1)}, total;dur=${total.toFixed(1)}${parts}`;
}
