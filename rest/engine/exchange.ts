import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';

/** What the server records about one request, for the access log, the metrics and the response. */
export interface Exchange {
  requestId: string;
  startedAt: number;
  /** The pattern of the path instead of the path, so that metrics have few series and contain no ids. */
  route: string;
  /** The public part of the API key. Null before authentication. */
  keyPrefix: string | null;
  /**
   * Whether a change has begun: a call that fails from then on may have been done. Null outside of the APIs, where the
   * method says so.
   */
  hasBegun: boolean | null;
  outcome: Outcome;
}

/** What the access log says of the caller and the answer: ids, a status and a code. */
interface Outcome {
  /** The status of the payment in the answer. */
  outcome?: string;
  /** The code of the error, or of the decline. */
  code?: string;
  paymentId?: string;
  platformAccountId?: string;
  userId?: string;
}

/** Where a request has its exchange. The values of a WeakMap would outlive their requests (`end-operation.ts`). */
const ofRequest = Symbol('exchange');

/**
 * Sets the `Request-Id` header for handwritten routes. The surfaces pass all headers to `writeHead`, which is faster in
 * Node if no header was set before.
 */
export function nameExchange(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Request-Id', exchangeOf(request).requestId);
  next();
}

export function exchangeOf(request: IncomingMessage & { [ofRequest]?: Exchange }): Exchange {
  return (request[ofRequest] ??= {
    requestId: requestIdOf(request.headers['request-id']),
    startedAt: performance.now(),
    route: 'unknown',
    keyPrefix: null,
    hasBegun: null,
    outcome: {},
  });
}

/** The id that the client sent if it is safe to log, otherwise a new id, by whose time its events are found. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : newId('req_', systemClock.now());
}
