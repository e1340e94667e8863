import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomBase62 } from '../../src/kit/ids.ts';

/** What the server notes of one request beside the request itself: for its log line, its figures and its answer. */
export interface Exchange {
  requestId: string;
  startedAt: number;
  /** The pattern of the path, never the path: figures by route stay few, and ids stay out of them. */
  route: string;
  /** The public part of the caller's key, once known. */
  keyPrefix: string | null;
}

const exchanges = new WeakMap<IncomingMessage, Exchange>();

/**
 * For the routes that write their own answers: says the request's id in them. The surfaces write all their headers at once
 * instead, since a header set before costs Node the quick way of writing them.
 */
export function nameExchange(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Request-Id', exchangeOf(request).requestId);
  next();
}

export function exchangeOf(request: IncomingMessage): Exchange {
  let exchange = exchanges.get(request);
  if (!exchange) {
    exchange = {
      requestId: requestIdOf(request.headers['request-id']),
      startedAt: performance.now(),
      route: 'unknown',
      keyPrefix: null,
    };
    exchanges.set(request, exchange);
  }
  return exchange;
}

/** The caller's own id where it is one that may stand in a log line, else a new one. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : `req_${randomBase62(16)}`;
}
