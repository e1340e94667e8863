import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import helmet from 'helmet';
import type { Env } from '../src/env.ts';
import { readDemo } from '../src/kit/demo.ts';
import { InvalidInput, NotFound } from '../src/kit/errors.ts';
import { accessLog } from './engine/access-log.ts';
import { door } from './engine/door.ts';
import { type Endpoint, loadEndpoints } from './engine/endpoint.ts';
import { nameExchange } from './engine/exchange.ts';
import { openApi } from './engine/openapi.ts';
import { readExamples, sharedIds } from './engine/openapi-examples.ts';
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

/** The whole HTTP face of the platform. Every document is read here: a bad one stops the start. */
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
  // Plugins before public: their root lies below the other's.
  const mounts = (['plugins', 'public', 'iam'] as const).map((name) => mount(env, surfaces[name], endpoints[name]));
  app.use(accessLog(env, (served) => env.metrics.observeRequest(served)));
  app.use(door(env));
  // What a document answers first: most calls then pass one layer of Express instead of all.
  for (const known of mounts) app.use(below(known, known.isKnown));
  const examples = readExamples();
  app.use(
    referenceRoutes({
      openApiText: JSON.stringify(openApi(schema, endpoints, env.config.publicUrl, examples)),
      exampleIds: sharedIds(examples),
      demo: () => readDemo(env.config),
    }),
  );
  app.use(connectRoutes(env));
  // What is below a root and no route's is the surface's to refuse: without a credential nobody hears which paths there are.
  for (const rest of mounts) app.use(below(rest));
  app.use(nameExchange);
  app.use(helmet({ contentSecurityPolicy: false }));
  app.use('/graphql', graphql);
  for (const route of routes) app.use(route);
  app.use((request, response) =>
    sendError(env, surfaces.public, request, response, new NotFound('There is no such path.')),
  );
  const lastResort: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    sendError(env, surfaces.public, request, response, refusalOf(error) ?? error);
  app.use(lastResort);
  return app;
}

/** What Express itself refused of a hand-written route: a path that is no text, a form too large. Its errors carry their status. */
function refusalOf(error: unknown): InvalidInput | NotFound | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (error instanceof URIError) return new NotFound('There is no such path.');
  if (status === 413) return new InvalidInput([], 'The body is too large.', 'PAYLOAD_TOO_LARGE', 413);
  if (status === 415)
    return new InvalidInput([], 'A body of this kind is not taken here.', 'UNSUPPORTED_MEDIA_TYPE', 415);
  return status >= 400 && status < 500
    ? new InvalidInput([{ path: '', message: 'the request cannot be read' }])
    : undefined;
}

interface Mount {
  surface: Surface;
  /** Whether a document has this path, with whatever method. */
  isKnown(path: string): boolean;
  handle: SurfaceHandler;
}

function mount(env: Env, surface: Surface, endpoints: readonly Endpoint[]): Mount {
  const route = createRouter(endpoints);
  // Express gives every request the address its `trust proxy` setting lets us believe.
  const handle = createSurface({
    env,
    surface,
    endpoints,
    addressOf: (request) => ('ip' in request && typeof request.ip === 'string' ? request.ip : ''),
  });
  return { surface, isKnown: (path) => route('GET', path).kind !== 'unknown', handle };
}

/** Hands a surface the paths below its root, without Express's own matching: an endpoint's path is the surface's business. */
function below({ surface, handle }: Mount, isMine: (path: string) => boolean = () => true): RequestHandler {
  return (request, response, next) => {
    const path = pathBelow(surface.root, request.url);
    if (path === undefined || !isMine(path)) return next();
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
