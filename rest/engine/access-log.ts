import type { Request, Response } from 'express';
import type { Services } from '../../src/services.ts';
import { exchangeOf } from './exchange.ts';

/** The result of one request, for the access log and the metrics. */
export interface Served {
  method: string;
  route: string;
  status: number;
  durationS: number;
}

/** Writes one log line per request when its response has ended. Bodies and query parameters are not logged. */
export function accessLog(services: Pick<Services, 'log' | 'tracing'>, observe: (served: Served) => void) {
  return (request: Request, response: Response, next: () => void): void => {
    const exchange = exchangeOf(request);
    const { traceparent } = request.headers;
    services.tracing.openCall(typeof traceparent === 'string' ? traceparent : undefined, (span) => {
      const traceId = services.tracing.traceId();
      response.on('close', () => {
        const { requestId, startedAt, route: ofSurface, keyPrefix, outcome } = exchange;
        const handwritten: unknown = request.route?.path;
        const route = typeof handwritten === 'string' ? handwritten : ofSurface;
        const durationS = (performance.now() - startedAt) / 1000;
        // 499: the client closed the connection before the response was written.
        const status = response.writableFinished ? response.statusCode : 499;
        const method = request.method ?? 'GET';
        observe({ method, route, status, durationS });
        span.end(
          `${method} ${route}`,
          { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status, requestId },
          status >= 500,
        );
        services.log.info(
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
