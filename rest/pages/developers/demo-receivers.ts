import { type RequestHandler, type Response, Router } from 'express';
import { type ReceiverKind, receiverKinds, receiversPath } from '../../../src/settings/demo-receivers.ts';

/** Longer than an attempt at a delivery may take. */
const lateMs = 15_000;

/**
 * Receivers of the demo's webhooks, so that deliveries, retries and dead ones are seen without another server. Only
 * where nobody but this machine can reach the platform.
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
