import { type RequestHandler, Router } from 'express';
import type { Config } from '../../src/runtime/config.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendAsset } from '../site/asset.ts';
import { Documentation } from '../site/docs/documentation.ts';
import { hrefBetween } from '../site/docs/library.ts';
import { docsPolicy } from '../site/docs/page.ts';

/** `/docs/`: the documentation of this version as pages and as Markdown, and `/llms.txt`, which lists it. */
export function docsRoutes({ docs, publicUrl }: Pick<Config, 'docs' | 'publicUrl'>): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  if (!docs) return router;
  const documentation = new Documentation(publicUrl);
  router.get('/docs', (_request, response) => response.set('Cache-Control', 'no-cache').redirect(302, 'docs/'));
  router.get(['/docs/', '/docs/*path'], async (request, response, next) => {
    exchangeOf(request).route = '/docs/*path';
    const address = decodeURIComponent(request.path).slice('/docs/'.length);
    const found = await documentation.find(address);
    if (found) {
      response.set({ 'Content-Security-Policy': docsPolicy, 'Referrer-Policy': 'no-referrer' });
      return sendAsset(request, response, found, 'no-cache');
    }
    const nearest = await documentation.nearest(address);
    if (nearest === undefined) return next();
    response.set('Cache-Control', 'no-cache').redirect(302, hrefBetween(address, nearest));
  });
  router.get('/llms.txt', async (request, response) => {
    exchangeOf(request).route = '/llms.txt';
    await sendAsset(request, response, await documentation.llms(), 'no-cache');
  });
  return router;
}
