import express, { type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import { InvalidInput } from '../../src/kit/errors.ts';
import { receiveProcessorEvent } from '../../src/payments/receive-event.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const path = '/hooks/processors/:type';

/**
 * Signed events of live processors, one address a processor record: `/hooks/processors/stripe?processor=proc_…`. By hand, since
 * the signature is over the bytes as they came and not over their JSON.
 */
export function processorHookRoutes(env: Env): RequestHandler {
  const router = Router();
  router.post(path, express.text({ type: () => true, limit: '256kb' }), async (request, response) => {
    const exchange = exchangeOf(request);
    exchange.route = path;
    try {
      const { processor } = request.query;
      if (typeof processor !== 'string' || !/^proc_[0-9A-Za-z]{1,64}$/.test(processor))
        throw new InvalidInput([{ path: 'processor', message: 'is required: the id of the processor, prefix proc_' }]);
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const body: unknown = request.body;
      const result = await receiveProcessorEvent(env, request.params['type'] ?? '', processor, {
        headers,
        body: typeof body === 'string' ? body : '',
        requestId: exchange.requestId,
        ip: request.ip ?? null,
      });
      sendJson(request, response, 200, { received: true, result });
    } catch (error) {
      // Whatever is not 200 makes the processor send it again.
      sendError(env, surfaces.public, request, response, error);
    }
  });
  return router;
}
