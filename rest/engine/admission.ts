import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { toGraphQLError } from '../../src/graph/errors.ts';
import type { RateLimited } from '../../src/kit/errors.ts';
import type { Services } from '../../src/services.ts';
import { surfaces } from '../surfaces.ts';
import { exchangeOf } from './exchange.ts';
import { takePlace } from './place.ts';
import { sendError, sendJson } from './respond.ts';

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
      refusal ? refuse(services, request, response, refusal) : next(),
    );
  };
}

/** Below the REST surfaces such a request gets a 401, which precedes a 429 (contract 5) and needs no database. */
function hasNoCredential({ path, headers }: { path: string } & Pick<IncomingMessage, 'headers'>): boolean {
  return path.startsWith('/api/') && headers.authorization === undefined && headers.cookie === undefined;
}

function refuse(
  services: Services,
  request: IncomingMessage & { path: string },
  response: ServerResponse,
  refusal: RateLimited,
): void {
  const { path } = request;
  const { public: otherwise, plugins, iam } = surfaces;
  const surface = [plugins, iam].find(({ root }) => path.startsWith(root)) ?? otherwise;
  const isGraph = path === '/graphql';
  exchangeOf(request).route = isGraph ? path : path.startsWith(surface.root) ? surface.root : 'admission';
  if (!isGraph) return sendError(services, surface, request, response, refusal);
  const {
    message,
    extensions: { http: _http, ...extensions },
  } = toGraphQLError(services, refusal);
  sendJson(request, response, 429, { errors: [{ message, extensions }] }, refusal.headers);
}
