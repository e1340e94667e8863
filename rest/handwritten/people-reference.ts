import { type RequestHandler, Router } from 'express';
import { authenticateSession } from '../../src/people/identity/public.ts';
import type { Services } from '../../src/services.ts';
import { nameExchange } from '../engine/exchange.ts';
import { sendError } from '../engine/respond.ts';
import { acceptsPage } from '../site/accepts-page.ts';
import { createAsset, sendAsset } from '../site/asset.ts';
import { once } from '../site/once.ts';
import { refuse } from '../site/refuse.ts';
import { surfaces } from '../surfaces.ts';
import { referencePage, sendPage, startScript } from './reference.ts';

const surface = surfaces.iam;

/** The reference of the API for people, and its OpenAPI document. Both are open to signed-in people only. */
export function peopleReferenceRoutes(services: Services, openApiText: () => string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const asset = once(async () => createAsset('openapi.json', openApiText()));
  const documentPath = `${surface.root}/openapi.json`;
  const pagePath = `${surface.root}/docs`;
  const scriptPath = `${pagePath}/start.js`;
  router.get([documentPath, pagePath, scriptPath], nameExchange, requirePerson(services));
  // A browser asks again each time: the document is for this session.
  router.get(documentPath, async (request, response) =>
    sendAsset(request, response, await asset(), 'private, no-cache'),
  );
  router.get(pagePath, (_request, response) => sendPage(response, 'text/html', referencePage(surface)));
  router.get(scriptPath, (_request, response) => sendPage(response, 'text/javascript', startScript(surface, {})));
  return router;
}

function requirePerson(services: Services): RequestHandler {
  return async (request, response, next) => {
    const { authorization, cookie } = request.headers;
    try {
      await authenticateSession(services, { authorization, cookie });
    } catch (error) {
      if (acceptsPage(request)) return refuse(services, request, response, error);
      return sendError(services, surface, request, response, error);
    }
    next();
  };
}
