import express, { type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import { receiveIdentityEvent } from '../../src/identity/receive.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const path = '/hooks/identity-provider';

/** Signed messages of the identity provider. By hand, since the signature is over the bytes as they came and not over their JSON. */
export function identityHookRoutes(env: Env): RequestHandler {
  const router = Router();
  router.post(path, express.text({ type: () => true, limit: '256kb' }), async (request, response) => {
    exchangeOf(request).route = path;
    try {
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const body: unknown = request.body;
      const result = await receiveIdentityEvent(env, { headers, body: typeof body === 'string' ? body : '' });
      sendJson(request, response, 200, { received: true, known: result === 'known' });
    } catch (error) {
      // Whatever is not 200 makes the provider send it again.
      sendError(env, surfaces.public, request, response, error);
    }
  });
  return router;
}
