import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { clientErrorOf, type FailedCall, thrownIn } from '../../src/graph/errors.ts';
import { Unavailable } from '../../src/lib/errors.ts';
import { outageName } from '../../src/lib/outage.ts';
import type { Services } from '../../src/services.ts';
import { exchangeOf, routeOf } from './exchange.ts';
import { type Problem, problemOf, type Surface } from './surfaces.ts';

/** The best first. */
const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** The best encoding that the client accepts; null for none. */
export function encodingFor(request: Pick<IncomingMessage, 'headers'>): Encoding | null {
  const accepted = new Negotiator(request).encodings(encodings);
  return encodings.find((encoding) => accepted.includes(encoding)) ?? null;
}

/** Below this size compression does not make an answer arrive sooner. */
const compressedFrom = 8 * 1024;

interface Encoded {
  body: string | Buffer;
  headers: Record<string, string>;
}

/**
 * The body of the answer of a read, compressed by another thread if it is large and the client allows it. Answers of
 * changes are not compressed: only they contain secrets, and the length of a compressed answer discloses something
 * about its content. No promise is created for an uncompressed answer, which most are.
 */
export function encodeAnswer(request: Pick<IncomingMessage, 'headers'>, text: string): Encoded | Promise<Encoded> {
  if (text.length < compressedFrom) return { body: text, headers: {} };
  const encoding = encodingFor(request);
  if (encoding === null) return { body: text, headers: { Vary: 'Accept-Encoding' } };
  const headers = { 'Content-Encoding': encoding, Vary: 'Accept-Encoding' };
  return (encoding === 'br' ? toBrotli(text, fastest) : toGzip(text, small)).then((body) => ({ body, headers }));
}

/** Little memory for each answer: with the defaults of zlib, a list of 100 payments takes a millisecond more. */
const small = { level: constants.Z_BEST_SPEED, windowBits: 13, memLevel: 6 };
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export type Headers = Record<string, string | string[]>;

/** Every JSON response is private to its caller, and a browser must not display it as a page. */
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
  sendJsonText(request, response, status, JSON.stringify(body), headers, outside);
}

/** As `sendJson`, for the answer of a read that may be large: such an answer is compressed. */
export async function sendRead(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  headers: Headers,
  outside: ReadonlyMap<string, number>,
): Promise<void> {
  const encoding = encodeAnswer(request, JSON.stringify(body));
  const encoded = encoding instanceof Promise ? await encoding : encoding;
  sendJsonText(request, response, 200, encoded.body, { ...headers, ...encoded.headers }, outside);
}

function sendJsonText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: Headers,
  outside: ReadonlyMap<string, number> | undefined,
): void {
  if (response.headersSent || response.destroyed) return;
  const exchange = exchangeOf(request);
  const answerHeaders: Record<string, string | string[] | number> = {
    ...fixedHeaders,
    'Request-Id': exchange.requestId,
    'Server-Timing': serverTiming(exchange.startedAt, outside),
    ...headers,
    'Content-Length': Buffer.byteLength(text),
  };
  // Node reads and discards the rest of a body. For a body that is too large the connection is closed instead.
  if (status === 413 && !request.complete) answerHeaders['Connection'] = 'close';
  response.writeHead(status, answerHeaders);
  response.end(text);
}

export type ErrorServices = Pick<Services, 'log' | 'outages'>;

export function sendError(
  services: ErrorServices,
  surface: Surface,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  headers: Headers = {},
): void {
  const { headers: ofError, ...problem } = reportError(services, surface, request, error);
  sendJson(request, response, problem.status, surface.errorBody(problem), { ...headers, ...ofError });
}

/** Logs an error that is a fault of the platform; returns the error for the client. */
export function reportError(
  services: ErrorServices,
  surface: Surface,
  request: IncomingMessage,
  error: unknown,
): Problem & { headers: Headers } {
  const domainError = clientErrorOf(error, failedCall(request));
  const { requestId, outcome } = exchangeOf(request);
  const route = routeOf(request);
  if (!domainError)
    services.log.error({ err: thrownIn(error), requestId, route }, 'A request failed with an internal error.');
  else if (domainError instanceof Unavailable) services.outages.note(route, outageName(domainError));
  else if (domainError.log)
    services.log.info({ requestId, route, code: domainError.code, ...domainError.log }, 'A request was refused.');
  const problem = domainError ? problemOf(surface, domainError) : internalError(requestId);
  outcome.code = problem.code;
  return { ...problem, headers: { ...domainError?.headers } };
}

function internalError(requestId: string): Problem {
  return {
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal error. Contact support with the Request-Id.',
    data: { requestId },
  };
}

/** The possible effect of a call that fails now. */
export function failedCall(request: IncomingMessage): FailedCall {
  const { hasBegun } = exchangeOf(request);
  const isChange = hasBegun ?? !['GET', 'HEAD'].includes(request.method ?? 'GET');
  return { effect: isChange ? 'unknown' : 'none', hasKey: request.headers['idempotency-key'] !== undefined };
}

/** `app` is the total time minus the time spent waiting for outside systems. */
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
