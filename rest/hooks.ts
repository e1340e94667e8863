import { type RequestHandler, Router } from 'express';
import { receiveProcessorEvent } from '../src/domains/processor-events/public.ts';
import { InvalidInput } from '../src/lib/errors.ts';
import { receiveIdentityEvent } from '../src/people/identity/public.ts';
import type { Services } from '../src/services.ts';
import { readText } from './engine/body.ts';
import { exchangeOf } from './engine/exchange.ts';
import { sendError, sendJson } from './engine/respond.ts';
import { surfaces } from './engine/surfaces.ts';

const identityPath = '/hooks/identity-provider';
const bodyBytesMax = 256 * 1024;

/** Webhooks of the identity provider. Written by hand because the signature covers the bytes of the body. */
export function identityHookRoutes(services: Services): RequestHandler {
  const router = Router();
  router.post(identityPath, async (request, response) => {
    exchangeOf(request).route = identityPath;
    try {
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const body = await readText(services, request, bodyBytesMax);
      const result = await receiveIdentityEvent(services, { headers, body });
      sendJson(request, response, 200, { received: true, known: result === 'known' });
    } catch (error) {
      // Any status but 200 makes the provider send the message again.
      sendError(services, surfaces.public, request, response, error);
    }
  });
  return router;
}

const processorPath = '/hooks/processors/:type';

/**
 * Webhooks of live processors, one URL per processor: `/hooks/processors/stripe?processor=proc_…`. Written by hand
 * because the signature covers the bytes of the body.
 */
export function processorHookRoutes(services: Services): RequestHandler {
  const router = Router();
  router.post(processorPath, async (request, response) => {
    const exchange = exchangeOf(request);
    exchange.route = processorPath;
    try {
      const { processor } = request.query;
      if (typeof processor !== 'string' || !/^proc_[0-9A-Za-z]{1,64}$/.test(processor))
        throw new InvalidInput([{ path: 'processor', message: 'is required: the id of the processor, prefix proc_' }]);
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const body = await readText(services, request, bodyBytesMax);
      const result = await receiveProcessorEvent(services, request.params['type'] ?? '', processor, {
        headers,
        body,
        requestId: exchange.requestId,
        ip: request.ip ?? null,
      });
      sendJson(request, response, 200, { received: true, result });
    } catch (error) {
      // Any status but 200 makes the processor send the event again.
      sendError(services, surfaces.public, request, response, error);
    }
  });
  return router;
}
