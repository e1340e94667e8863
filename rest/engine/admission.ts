import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Services } from '../../src/services.ts';
import { takePlace } from './place.ts';
import { refuseEarly } from './refuse-early.ts';

/** Monitoring must work when the process is overloaded. */
const alwaysOpen = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Applies admission control to every request. A request that waits too long is refused with 429. A request whose body
 * has not arrived holds no place (`place.ts`).
 */
export function controlAdmission(services: Services): RequestHandler {
  return (request, response, next) => {
    if (alwaysOpen.has(request.path) || hasNoCredential(request)) return next();
    takePlace(services.admissionControl, request, response, (refusal) =>
      refusal ? refuseEarly(services, request, response, refusal) : next(),
    );
  };
}

/** Below the REST surfaces such a request gets a 401, which precedes a 429 (contract 5) and needs no database. */
function hasNoCredential({ path, headers }: { path: string } & Pick<IncomingMessage, 'headers'>): boolean {
  return path.startsWith('/api/') && headers.authorization === undefined && headers.cookie === undefined;
}
