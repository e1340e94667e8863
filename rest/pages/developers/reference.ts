import { type RequestHandler, type Response, Router } from 'express';
import { authenticateSession } from '../../../src/iam/public.ts';
import type { Services } from '../../../src/services.ts';
import { fontCss } from '../../../src/theme/tokens.ts';
import { admit } from '../../engine/admit.ts';
import { nameExchange } from '../../engine/exchange.ts';
import { acceptsPage } from '../../engine/reader.ts';
import { sendError } from '../../engine/respond.ts';
import { type Surface, surfaces } from '../../engine/surfaces.ts';
import { scalarFile } from '../../vendor/scalar.ts';
import { type Asset, createAsset, once, openStored, sendAsset } from '../frame/assets.ts';
import { refuse } from '../frame/refuse.ts';

export interface ReferenceOptions {
  /** The OpenAPI document. */
  openApi(): Promise<Asset>;
  /**
   * The partner key of the demo, which is prefilled, so that "try it" can send a charge without changes. Never on a
   * production server.
   */
  demoKey(): Promise<string | undefined>;
}

/**
 * The API reference: a page and its assets, all from this server. The content security policy below prevents the
 * library from loading anything else.
 */
export function referenceRoutes({ openApi, demoKey }: ReferenceOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const root = surfaces.public.root;
  const bundle = once(() => openStored(scalarFile));
  router.use([`${root}/openapi.json`, `${root}/docs`], nameExchange);
  router.get(`${root}/openapi.json`, async (request, response) => {
    response.set('Access-Control-Allow-Origin', '*');
    return sendAsset(request, response, await openApi(), 'no-cache');
  });
  const page = referencePage(surfaces.public);
  router.get(`${root}/docs`, (_request, response) => sendPage(response, 'text/html', page));
  router.get(`${root}/docs/start.js`, async (_request, response) =>
    sendPage(response, 'text/javascript', startScript(surfaces.public, authentication(await demoKey()))),
  );
  router.get(`${root}/docs/scalar.js`, async (request, response) =>
    sendAsset(request, response, await bundle(), 'public, max-age=86400'),
  );
  return router;
}

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

function sendPage(response: Response, type: string, text: string): void {
  response
    .set({
      'Content-Security-Policy': contentPolicy,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      // The script contains a key of the demo, which another site's page could read if it could load the script.
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    .type(type)
    .send(text);
}

/** The page of a reference. The bundle is the same for all of them. */
function referencePage({ root, title }: Surface): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}: API reference</title>
</head>
<body>
<div id="reference"></div>
<script src="${surfaces.public.root}/docs/scalar.js"></script>
<script src="${root}/docs/start.js"></script>
</body>
</html>
`;
}

function authentication(token: string | undefined): object {
  return {
    preferredSecurityScheme: 'partnerKey',
    ...(token !== undefined && { securitySchemes: { partnerKey: { token } } }),
  };
}

/** The font and the accent of the platform. The library's own gray and its colors for methods have a contrast below 4.5. */
const ownStyle = `${fontCss}
body { --scalar-font: "Inter Variable", system-ui, sans-serif; --scalar-radius: 8px; }
body.light-mode { --scalar-color-accent: #1a56db; }
body.dark-mode { --scalar-color-accent: #8ab0ff; }
body.light-mode { --scalar-color-2: #5c5f66; --scalar-color-3: #62666d; --scalar-color-green: #04684a;
  --scalar-color-orange: #a34300; --scalar-color-blue: #005f9e; --scalar-color-red: #c00007; }
body .dark-mode, body.dark-mode { --scalar-color-3: #a0a0a0; }
`;

function startScript({ root }: Surface, given: object): string {
  const configuration = {
    url: `${root}/openapi.json`,
    // "Try it" sends requests to the server of this page, under the host name by which it was opened.
    servers: [{ url: root }],
    authentication: given,
    agent: { disabled: true, hideAddApi: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    proxyUrl: '',
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    customCss: ownStyle,
  };
  return `const configuration = ${JSON.stringify(configuration)};
// Without a token the credential of the browser counts, which an empty header would hide.
configuration.onRequestBuilt = ({ request: { headers } }) => {
  if (headers.get('Authorization')?.trim() === 'Bearer') headers.delete('Authorization');
};
Scalar.createApiReference('#reference', configuration);
`;
}

const surface = surfaces.iam;

/** The reference of the API for users, and its OpenAPI document. Both are for signed-in users only. */
export function peopleReferenceRoutes(services: Services, openApiText: () => string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const asset = once(async () => createAsset('openapi.json', openApiText()));
  const documentPath = `${surface.root}/openapi.json`;
  const pagePath = `${surface.root}/docs`;
  const scriptPath = `${pagePath}/start.js`;
  router.get([documentPath, pagePath, scriptPath], nameExchange, requirePerson(services));
  // A browser revalidates it each time, since the document is for this session.
  router.get(documentPath, async (request, response) =>
    sendAsset(request, response, await asset(), 'private, no-cache'),
  );
  router.get(pagePath, (_request, response) => sendPage(response, 'text/html', referencePage(surface)));
  router.get(scriptPath, (_request, response) => sendPage(response, 'text/javascript', startScript(surface, {})));
  return router;
}

function requirePerson(services: Services): RequestHandler {
  return async (request, response, next) => {
    try {
      await admit(services, request, authenticateSession, request.ip ?? '');
    } catch (error) {
      if (acceptsPage(request)) return refuse(services, request, response, error);
      return sendError(services, surface, request, response, error);
    }
    next();
  };
}
