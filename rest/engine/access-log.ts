import type { Request, Response } from 'express';
import type { Env } from '../../src/env.ts';
import { exchangeOf } from './exchange.ts';

/** What became of one request, as log and figures see it. */
export interface Served {
  method: string;
  route: string;
  status: number;
  durationS: number;
}

/** One line a request, when its answer is out: who asked what and how it went, never what was in it. */
export function accessLog(env: Pick<Env, 'log'>, observe: (served: Served) => void) {
  return (request: Request, response: Response, next: () => void): void => {
    const exchange = exchangeOf(request);
    response.once('close', () => {
      const { requestId, startedAt, route: ofSurface, keyPrefix } = exchange;
      const handwritten: unknown = request.route?.path;
      const route = typeof handwritten === 'string' ? handwritten : ofSurface;
      const durationS = (performance.now() - startedAt) / 1000;
      // 499: the client went away before its answer was written.
      const status = response.writableFinished ? response.statusCode : 499;
      const method = request.method ?? 'GET';
      observe({ method, route, status, durationS });
      env.log.info(
        {
          method,
          route,
          status,
          durationMs: Math.round(durationS * 10_000) / 10,
          requestId,
          ...(keyPrefix !== null && { keyPrefix }),
        },
        'request',
      );
    });
    next();
  };
}
