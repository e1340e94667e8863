import { type RequestHandler, Router } from 'express';
import { receiveIdentityEvent } from '../../src/people/identity/public.ts';
import type { Services } from '../../src/services.ts';
import { readText } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const path = '/hooks/identity-provider';
const bodyBytesMax = 256 * 1024;

/** Webhooks of the identity provider. Written by hand because the signature covers the bytes of the body. */
export function identityHookRoutes(services: Services): RequestHandler {
  const router = Router();
  router.post(path, async (request, response) => {
    exchangeOf(request).route = path;
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
