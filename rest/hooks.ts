import type { IncomingMessage } from 'node:http';
import { type RequestHandler, type Response, Router } from 'express';
import { receiveProcessorEvent } from '../src/domains/processor-events/public.ts';
import { receiveIdentityEvent } from '../src/iam/public.ts';
import { InvalidInput } from '../src/lib/errors.ts';
import type { Services } from '../src/services.ts';
import { type ReceiverKind, receiverKinds, receiversPath } from '../src/settings/demo-receivers.ts';
import { readText } from './engine/body.ts';
import { exchangeOf } from './engine/exchange.ts';
import { sendJson } from './engine/respond.ts';

const bodyBytesMax = 256 * 1024;

/**
 * Webhooks of the identity provider and of live processors, one URL per processor:
 * `/hooks/processors/stripe?processor=proc_…`. Written by hand because the signature covers the bytes of the body. Any
 * status but 200 makes the sender send the event again.
 */
export function hookRoutes(services: Services): RequestHandler {
  const router = Router();
  router.post('/hooks/identity-provider', async (request, response) => {
    const body = await readText(services, request, bodyBytesMax);
    const result = await receiveIdentityEvent(services, { headers: singleHeaders(request), body });
    sendJson(request, response, 200, { received: true, known: result === 'known' });
  });
  router.post('/hooks/processors/:type', async (request, response) => {
    const { processor } = request.query;
    if (typeof processor !== 'string' || !/^proc_[0-9A-Za-z]{1,64}$/.test(processor))
      throw new InvalidInput([{ path: 'processor', message: 'is required: the id of the processor, prefix proc_' }]);
    const result = await receiveProcessorEvent(services, request.params.type, processor, {
      headers: singleHeaders(request),
      body: await readText(services, request, bodyBytesMax),
      requestId: exchangeOf(request).requestId,
      ip: request.ip ?? null,
    });
    sendJson(request, response, 200, { received: true, result });
  });
  return router;
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Longer than an attempt at a delivery may take. */
const lateMs = 15_000;

/**
 * Receivers of the demo's webhooks, so that deliveries, retries and dead ones are seen without another server. Only
 * where only this machine can reach the platform.
 */
export function demoReceivers(): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const answers: Record<ReceiverKind, (response: Response) => unknown> = {
    accepts: (response) => response.json({ received: true }),
    fails: (response) => response.status(500).json({ error: 'This receiver of the demo always fails.' }),
    late: (response) => void setTimeout(() => response.json({ received: true }), lateMs).unref(),
    gone: (response) => response.status(410).json({ error: 'This receiver of the demo is gone.' }),
  };
  router.post(`${receiversPath}:kind`, (request, response, next) => {
    const kind = receiverKinds.find((one) => one === request.params['kind']);
    if (kind === undefined) return next();
    answers[kind](response);
  });
  return router;
}
