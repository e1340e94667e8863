import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import helmet from 'helmet';
import type { Env } from '../src/env.ts';
import { readDemo } from '../src/kit/demo.ts';
import { InvalidInput, NotFound } from '../src/kit/errors.ts';
import { accessLog } from './engine/access-log.ts';
import { loadEndpoints } from './engine/endpoint.ts';
import { nameExchange } from './engine/exchange.ts';
import { openApi } from './engine/openapi.ts';
import { readExamples, sharedIds } from './engine/openapi-examples.ts';
import { createSurface } from './engine/request.ts';
import { sendError } from './engine/respond.ts';
import { connectRoutes } from './handwritten/connect.ts';
import { referenceRoutes } from './handwritten/reference.ts';
import { type Surface, surfaces } from './surfaces.ts';

export interface AppParts {
  schema: GraphQLSchema;
  /** The GraphQL endpoint with its page. */
  graphql: RequestHandler;
  /** The routers of rest/handwritten. */
  routes: readonly RequestHandler[];
}

/** The whole HTTP face of the platform. Every document is compiled here: a bad one stops the start. */
export function createApp(env: Env, { schema, graphql, routes }: AppParts): Express {
  const endpoints = {
    public: loadEndpoints(schema, join(import.meta.dirname, 'public')),
    plugins: loadEndpoints(schema, join(import.meta.dirname, 'plugins')),
    iam: loadEndpoints(schema, join(import.meta.dirname, 'iam')),
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', env.config.trustProxy);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use(accessLog(env, (served) => env.metrics.observeRequest(served)));
  const examples = readExamples();
  app.use(referenceRoutes({ openApiText: JSON.stringify(openApi(schema, endpoints, env.config.publicUrl, examples)), exampleIds: sharedIds(examples), demo: () => readDemo(env.config) }));
  app.use(connectRoutes(env));
  // Plugins before public: their root lies below the other's.
  for (const name of ['plugins', 'public', 'iam'] as const) app.use(below(env, surfaces[name], endpoints[name]));
  app.use(nameExchange);
  app.use(helmet({ contentSecurityPolicy: false }));
  app.use('/graphql', graphql);
  for (const route of routes) app.use(route);
  app.use((request, response) => sendError(env, surfaces.public, request, response, new NotFound('There is no such path.')));
  const lastResort: ErrorRequestHandler = (error: unknown, request, response, _next) => sendError(env, surfaces.public, request, response, refusalOf(error) ?? error);
  app.use(lastResort);
  return app;
}

/** What Express itself refused of a hand-written route: a path that is no text, a form too large. Its errors carry their status. */
function refusalOf(error: unknown): InvalidInput | NotFound | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (error instanceof URIError) return new NotFound('There is no such path.');
  if (status === 413) return new InvalidInput([], 'The body is too large.', 'PAYLOAD_TOO_LARGE', 413);
  if (status === 415) return new InvalidInput([], 'A body of this kind is not taken here.', 'UNSUPPORTED_MEDIA_TYPE', 415);
  return status >= 400 && status < 500 ? new InvalidInput([{ path: '', message: 'the request cannot be read' }]) : undefined;
}

/** Hands a surface every path below its root, without Express's own matching: an endpoint's path is the surface's business. */
function below(env: Env, surface: Surface, endpoints: Parameters<typeof createSurface>[0]['endpoints']): RequestHandler {
  // Express gives every request the address its `trust proxy` setting lets us believe.
  const handle = createSurface({ env, surface, endpoints, addressOf: (request) => ('ip' in request && typeof request.ip === 'string' ? request.ip : '') });
  return (request, response, next) => {
    const url = request.url;
    if (!url.startsWith(surface.root)) return next();
    const query = url.indexOf('?');
    const path = url.slice(surface.root.length, query === -1 ? undefined : query);
    if (path !== '' && !path.startsWith('/')) return next();
    handle(request, response, path).catch(next);
  };
}
