import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Env } from '../../src/env.ts';
import { toGraphQLError } from '../../src/graph/errors.ts';
import type { RateLimited } from '../../src/kit/errors.ts';
import { surfaces } from '../surfaces.ts';
import { exchangeOf } from './exchange.ts';
import { sendError, sendJson } from './respond.ts';

/** How the process is doing is asked most when it is doing badly. */
const alwaysOpen = new Set(['/health/live', '/health/ready', '/metrics']);

/** Lets calls in while there is room for their work. Who waits too long is refused before anything of the call is done, or read. */
export function door(env: Env): RequestHandler {
  return (request, response, next) => {
    if (alwaysOpen.has(request.path) || hasNoCredential(request)) return next();
    const leave = env.gate.enter((refusal) => (refusal ? refuse(env, request, response, refusal) : next()));
    response.once('close', leave);
  };
}

/** Under the REST surfaces that is a 401, which comes before a 429 (contract 5) and asks nothing of the database. */
function hasNoCredential({ path, headers }: { path: string } & Pick<IncomingMessage, 'headers'>): boolean {
  return path.startsWith('/api/') && headers.authorization === undefined && headers.cookie === undefined;
}

function refuse(
  env: Env,
  request: IncomingMessage & { path: string },
  response: ServerResponse,
  refusal: RateLimited,
): void {
  const { path } = request;
  const { public: otherwise, plugins, iam } = surfaces;
  const surface = [plugins, iam].find(({ root }) => path.startsWith(root)) ?? otherwise;
  const isGraph = path === '/graphql';
  exchangeOf(request).route = isGraph ? path : path.startsWith(surface.root) ? surface.root : 'door';
  if (!isGraph) return sendError(env, surface, request, response, refusal);
  const {
    message,
    extensions: { http: _http, ...extensions },
  } = toGraphQLError(env, refusal);
  sendJson(request, response, 429, { errors: [{ message, extensions }] }, refusal.headers);
}
