import type { IncomingMessage, RequestListener } from 'node:http';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import helmet from 'helmet';
import type { Env } from '../src/env.ts';
import { readDemo } from '../src/kit/demo.ts';
import { InvalidInput, NotFound } from '../src/kit/errors.ts';
import { accessLog } from './engine/access-log.ts';
import { type Endpoint, loadEndpoints } from './engine/endpoint.ts';
import { nameExchange } from './engine/exchange.ts';
import { openApi } from './engine/openapi.ts';
import { createSurface, type SurfaceHandler } from './engine/request.ts';
import { sendError } from './engine/respond.ts';
import { createRouter } from './engine/router.ts';
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

/**
 * The whole HTTP face of the platform. Every document is read here: a bad one stops the start. What a document answers goes
 * straight to its surface; Express, whose passage is a quarter of a cheap call, has all the rest.
 */
export function createApp(env: Env, { schema, graphql, routes }: AppParts): RequestListener {
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
  app.use(referenceRoutes({ openApiText: JSON.stringify(openApi(schema, endpoints, env.config.publicUrl)), demoKey: () => readDemo(env.config)?.partnerKeys.test }));
  app.use(connectRoutes(env));
  // Plugins before public: their root lies below the other's.
  const doors = (['plugins', 'public', 'iam'] as const).map((name) => openDoor(env, surfaces[name], endpoints[name], app));
  for (const door of doors) app.use(anyPathBelow(door));
  app.use(nameExchange);
  app.use(helmet({ contentSecurityPolicy: false }));
  app.use('/graphql', graphql);
  for (const route of routes) app.use(route);
  app.use((request, response) => sendError(env, surfaces.public, request, response, new NotFound('There is no such path.')));
  const lastResort: ErrorRequestHandler = (error: unknown, request, response, _next) => sendError(env, surfaces.public, request, response, refusalOf(error) ?? error);
  app.use(lastResort);
  const logAccess = accessLog(env, (served) => env.metrics.observeRequest(served));
  return (request, response) => {
    logAccess(request, response);
    for (const { surface, isKnown, handle } of doors) {
      const path = pathBelow(surface.root, request.url ?? '/');
      if (path !== undefined && isKnown(path)) return void handle(request, response, path).catch((error: unknown) => sendError(env, surface, request, response, error));
    }
    app(request, response);
  };
}

/** What Express itself refused of a hand-written route: a path that is no text, a form too large. Its errors carry their status. */
function refusalOf(error: unknown): InvalidInput | NotFound | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (error instanceof URIError) return new NotFound('There is no such path.');
  if (status === 413) return new InvalidInput([], 'The body is too large.', 'PAYLOAD_TOO_LARGE', 413);
  if (status === 415) return new InvalidInput([], 'A body of this kind is not taken here.', 'UNSUPPORTED_MEDIA_TYPE', 415);
  return status >= 400 && status < 500 ? new InvalidInput([{ path: '', message: 'the request cannot be read' }]) : undefined;
}

interface Door {
  surface: Surface;
  /** Whether a document has this path, with whatever method. */
  isKnown(path: string): boolean;
  handle: SurfaceHandler;
}

function openDoor(env: Env, surface: Surface, endpoints: readonly Endpoint[], app: Express): Door {
  const route = createRouter(endpoints);
  const handle = createSurface({ env, surface, endpoints, addressOf: (request) => addressOf(app, request) });
  return { surface, isKnown: (path) => route('GET', path).kind !== 'unknown', handle };
}

/** The client's address, as far as Express's `trust proxy` lets us believe it; read for requests that Express does not see, too. */
function addressOf(app: Express, { headers, socket }: IncomingMessage): string {
  const ip: unknown = Reflect.get(express.request, 'ip', { app, headers, socket });
  return typeof ip === 'string' ? ip : '';
}

/** What is below a surface's root and no hand-written route is the surface's to refuse: without a credential nobody hears which paths there are. */
function anyPathBelow({ surface, handle }: Door): RequestHandler {
  return (request, response, next) => {
    const path = pathBelow(surface.root, request.url);
    if (path === undefined) return next();
    handle(request, response, path).catch(next);
  };
}

/** Undefined for what is not below the root. */
function pathBelow(root: string, url: string): string | undefined {
  if (!url.startsWith(root)) return undefined;
  const query = url.indexOf('?');
  const path = url.slice(root.length, query === -1 ? undefined : query);
  return path === '' || path.startsWith('/') ? path : undefined;
}
