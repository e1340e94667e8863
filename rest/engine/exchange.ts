import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../src/auth/caller.ts';
import type { NotedResult } from '../../src/graph/yoga.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { noTracing } from '../../src/observability/tracing.ts';
import type { Services } from '../../src/services.ts';
import { receiversPath } from '../../src/settings/demo-receivers.ts';

/** What the server records about one request, for the access log, the metrics and the response. */
interface Exchange {
  requestId: string;
  /** The public URL of the platform, which decides the names of cookies. */
  publicUrl: string;
  startedAt: number;
  /** The pattern of the path instead of the path, so that metrics have few series and contain no ids. */
  route: string;
  /** The public part of the API key. Null before authentication. */
  keyPrefix: string | null;
  /**
   * Whether a change has begun: a call that fails after that may have had an effect. Null outside of the APIs, where
   * the method of the request decides.
   */
  hasBegun: boolean | null;
  outcome: Outcome;
}

/** The caller and the answer in the access log: ids, a status and a code. */
interface Outcome {
  /** The status of the payment in the answer. */
  outcome?: string;
  /** The code of the error, or of the decline. */
  code?: string;
  paymentId?: string;
  platformAccountId?: string;
  userId?: string;
}

/**
 * The property of a request with its exchange. The values of a WeakMap would outlive their requests
 * (`src/graph/builder.ts`).
 */
const ofRequest = Symbol('exchange');

/**
 * Sets the `Request-Id` header for handwritten routes. The surfaces pass all headers to `writeHead`, which is faster in
 * Node if no header was set before.
 */
export function nameExchange(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Request-Id', exchangeOf(request).requestId);
  next();
}

export function exchangeOf(request: Pick<IncomingMessage, 'headers'> & { [ofRequest]?: Exchange }): Exchange {
  return (request[ofRequest] ??= {
    requestId: requestIdOf(request.headers['request-id']),
    publicUrl: '',
    startedAt: performance.now(),
    route: 'unknown',
    keyPrefix: null,
    hasBegun: null,
    outcome: {},
  });
}

/** The pattern of the path: that of a route of Express, or that of the exchange. */
export function routeOf(request: IncomingMessage & { route?: { path: unknown } }): string {
  const path = request.route?.path;
  return typeof path === 'string' ? path : exchangeOf(request).route;
}

/** The id that the client sent if it is safe to log, otherwise a new id, by whose time its events are found. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : newId('req_', systemClock.now());
}

/** The result of one request, for the access log and the metrics. */
export interface Served {
  method: string;
  route: string;
  status: number;
  durationS: number;
}

/**
 * The paths of health checks. Load balancers ask every second, so these have no trace and are no part of the metrics of
 * requests, and only those that fail have a line in the log.
 */
export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

/** Writes one log line per request when its response has ended. Bodies and query parameters are not logged. */
export function accessLog(services: Pick<Services, 'log' | 'tracing'>, observe: (served: Served) => void) {
  return (request: Request, response: Response, next: () => void): void => {
    const exchange = exchangeOf(request);
    const { traceparent } = request.headers;
    const isHealthCheck = healthPaths.includes(request.path);
    const open: typeof services.tracing.openCall = isHealthCheck ? noTracing.openCall : services.tracing.openCall;
    open(typeof traceparent === 'string' ? traceparent : undefined, (span) => {
      const traceId = services.tracing.traceId();
      response.on('close', () => {
        const { requestId, startedAt, keyPrefix, outcome } = exchange;
        const route = routeOf(request);
        const durationS = (performance.now() - startedAt) / 1000;
        // 499: the client closed the connection before the response was written.
        const status = response.writableFinished ? response.statusCode : 499;
        const method = request.method ?? 'GET';
        if (isHealthCheck && status < 400) return;
        if (!isHealthCheck) observe({ method, route, status, durationS });
        span.end(
          `${method} ${route}`,
          { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status, requestId },
          status >= 500,
        );
        // The deliveries of the demo would push the addresses that a start prints out of sight.
        services.log[route.startsWith(receiversPath) ? 'debug' : 'info'](
          {
            method,
            route,
            status,
            durationMs: Math.round(durationS * 10_000) / 10,
            requestId,
            ...(traceId !== undefined && { traceId }),
            ...outcome,
            ...(keyPrefix !== null && { keyPrefix }),
          },
          'request',
        );
      });
      next();
    });
  };
}

/** Sets the caller of the access log. */
export function noteCaller(exchange: Exchange, caller: Caller): void {
  if ('keyPrefix' in caller) exchange.keyPrefix = caller.keyPrefix;
  if ('tenant' in caller) exchange.outcome.platformAccountId = caller.tenant.platformAccountId;
  if ('userId' in caller) exchange.outcome.userId = caller.userId;
}

/** Sets the answer of the access log: the payment in it, its status, and the code of a decline. */
export function noteAnswer({ outcome }: Exchange, answer: unknown): void {
  const payment = paymentIn(answer);
  if (!payment) return;
  outcome.paymentId = payment.id;
  outcome.outcome = payment.status;
  const { failureCode, platformAccountId } = payment;
  if (isOf(/^[a-z_]{1,60}$/, failureCode)) outcome.code = failureCode;
  if (isOf(/^tpa_[0-9A-Za-z]{1,40}$/, platformAccountId)) outcome.platformAccountId = platformAccountId;
}

/** The same for a result of GraphQL: its payment, or the code of its first error. */
export function noteResult(exchange: Exchange, { data, errors }: NotedResult): void {
  noteAnswer(exchange, data);
  const code = errors?.[0]?.extensions?.['code'];
  if (typeof code === 'string') exchange.outcome.code = code;
}

interface ShownPayment {
  id: string;
  status: string;
  failureCode?: unknown;
  platformAccountId?: unknown;
}

/** The answer itself, its field `payment`, or that of a root field of GraphQL. */
function paymentIn(answer: unknown, depth = 2): ShownPayment | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
  if (isPayment(answer)) return answer;
  if (depth === 0) return undefined;
  for (const value of Object.values(answer)) {
    const found = paymentIn(value, depth - 1);
    if (found) return found;
  }
  return undefined;
}

/** A client of GraphQL may give a field any name, so only values in the platform's formats are logged. */
function isPayment(value: object): value is ShownPayment {
  return (
    'id' in value &&
    isOf(/^pay_[0-9A-Za-z]{1,40}$/, value.id) &&
    'status' in value &&
    isOf(/^[a-z_]{1,40}$/, value.status)
  );
}

function isOf(form: RegExp, value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}
