import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import helmet from 'helmet';
import { NotFound } from '../src/lib/errors.ts';
import { splitAddress } from '../src/lib/network.ts';
import type { Services } from '../src/services.ts';
import { loadDemo } from '../src/settings/demo-credentials.ts';
import { ConnectionLost } from './engine/body.ts';
import { type Endpoint, loadEndpoints } from './engine/endpoint.ts';
import { accessLog, exchangeOf, nameExchange } from './engine/exchange.ts';
import { createSurface, type SurfaceHandler } from './engine/request.ts';
import { createRouter } from './engine/router.ts';
import { type Surface, surfaces } from './engine/surfaces.ts';
import { boundHeaders, checkHost, controlAdmission } from './entrance.ts';
import { type DocumentedEndpoints, openApi } from './openapi/document.ts';
import { readExamples, sharedIds } from './openapi/operation.ts';
import { homeRoutes } from './pages/developers/home.ts';
import { peopleReferenceRoutes, referenceRoutes } from './pages/developers/reference.ts';
import { createAsset, once } from './pages/frame/assets.ts';
import { refuse } from './pages/frame/refuse.ts';
import { connectRoutes } from './pages/merchants/connect.ts';
import { demoDocument } from './site/demo-document.ts';

export interface AppParts {
  schema: GraphQLSchema;
  /** The GraphQL endpoint and GraphiQL. */
  graphql: RequestHandler;
  /** Routers of the routes that are not defined by documents. */
  routes: readonly RequestHandler[];
}

/** The HTTP server of the platform. An invalid REST document throws here, which stops the start. */
export function createApp(services: Services, { schema, graphql, routes }: AppParts): Express {
  const endpoints = {
    public: loadEndpoints(schema, 'public'),
    plugins: loadEndpoints(schema, 'plugins'),
    iam: loadEndpoints(schema, 'iam'),
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', services.config.trustProxy);
  // Every link begins with PUBLIC_URL. The GraphQL server would make an address of whatever X-Forwarded-Proto says.
  Object.defineProperty(app.request, 'protocol', { value: 'http' });
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  // Plugins before public, because the root of plugins is below the root of public.
  const mounts = (['plugins', 'public', 'iam'] as const).map((name) =>
    mount(services, surfaces[name], endpoints[name]),
  );
  app.use(entrance(services, mounts));
  const examples = readExamples();
  const { iam, ...apiKeyEndpoints } = endpoints;
  const { publicUrl, sandbox: isSandbox, sandboxUrl, docs } = services.config;
  const docsUrl = docs ? `${publicUrl}/docs/` : undefined;
  const describe = (documented: DocumentedEndpoints) =>
    JSON.stringify(
      openApi(schema, documented, { publicUrl, examples, isSandbox, sandboxUrl, ...(docsUrl && { docsUrl }) }),
    );
  app.use(peopleReferenceRoutes(services, () => describe({ iam })));
  const openApiText = once(async () => describe(apiKeyEndpoints));
  const plain = once(async () => createAsset('openapi.json', await openApiText()));
  const withDemo = demoDocument(services, openApiText, sharedIds(examples));
  const readDemo = async () => (services.config.isLocal ? loadDemo(services.config) : undefined);
  app.use(
    referenceRoutes({
      openApi: async () => {
        const demo = await readDemo();
        return demo ? withDemo(demo) : plain();
      },
      demoKey: async () => (await readDemo())?.partnerKeys.test,
    }),
  );
  app.use(connectRoutes(services));
  // The surface also handles unknown paths below its root. It returns 401 before 404, so that a request without a
  // credential does not reveal which paths exist.
  for (const rest of mounts) app.use(below(rest));
  app.use(nameExchange);
  app.use(helmet({ contentSecurityPolicy: false }));
  app.use(homeRoutes(services, schema));
  app.use('/graphql', graphql);
  for (const route of routes) app.use(route);
  app.use((request, response) => refuse(services, request, response, new NotFound(missing(request.path))));
  const answerError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
    if (error instanceof ConnectionLost) return void response.destroy();
    if (!response.headersSent) response.removeHeader('Set-Cookie'); // of a session whose answer failed
    refuse(services, request, response, error instanceof URIError ? new NotFound('Path not found.') : error);
  };
  app.use(answerError);
  return app;
}

/** The message for a path of a client that guesses the root of the API. */
function missing(path: string): string {
  const hint = /^\/(api|v\d+|public)\//.test(path) ? ` The API is below ${surfaces.public.root}.` : '';
  return `Path not found.${hint}`;
}

interface Mount {
  surface: Surface;
  /** Whether an endpoint has this path, with any method. */
  isKnown(path: string): boolean;
  handle: SurfaceHandler;
}

function mount(services: Services, surface: Surface, endpoints: readonly Endpoint[]): Mount {
  const route = createRouter(endpoints);
  // Express derives `request.ip` from its `trust proxy` setting.
  const handle = createSurface({
    services,
    surface,
    endpoints,
    addressOf: ({ ip }: IncomingMessage & { ip?: unknown }) => (typeof ip === 'string' ? ip : ''),
  });
  return { surface, isKnown: (path) => route('GET', path).kind !== 'unknown', handle };
}

/**
 * The first steps of every request: the log, the check of the host and admission control. Then REST endpoints, which
 * most requests are for. They are one layer of Express, since each layer costs about as much as one of these steps.
 */
function entrance(services: Services, mounts: readonly Mount[]): RequestHandler {
  const log = accessLog(services, (served) => services.metrics.observeRequest(served));
  const check = checkHost(services);
  const admit = controlAdmission(services);
  return (request, response, next) => {
    boundHeaders(request);
    exchangeOf(request).publicUrl = services.config.publicUrl;
    const begin = (): void => {
      for (const { surface, isKnown, handle } of mounts) {
        const path = pathBelow(surface.root, request.url);
        if (path !== undefined && isKnown(path)) return void handle(request, response, path).catch(next);
      }
      next();
    };
    log(request, response, () => check(request, response, () => admit(request, response, begin)));
  };
}

/** Passes requests below the root of a surface to it. The surface matches the path itself, not Express. */
function below({ surface, handle }: Mount): RequestHandler {
  return (request, response, next) => {
    const path = pathBelow(surface.root, request.url);
    if (path === undefined) return next();
    handle(request, response, path).catch(next);
  };
}

/** Undefined if the URL is not below the root. */
function pathBelow(root: string, url: string): string | undefined {
  if (!url.startsWith(root)) return undefined;
  const path = splitAddress(url).path.slice(root.length);
  return path === '' || path.startsWith('/') ? path : undefined;
}
