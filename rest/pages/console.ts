import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Asset, forever, once, openStored, sendAsset } from './frame/assets.ts';

const dist = join(import.meta.dirname, '..', '..', 'console', 'dist');

/**
 * The console: one page, which uses `/graphql` with the session of the browser, and the files of its build. Every path
 * below `/console/` is a page of it. The files contain no data, so they are public.
 */
export function consoleRoutes(): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  // Read with the first request and not at every start.
  const files = once(listFiles);
  const page = once(async () => {
    const index = await openStored(join(dist, 'index.html.br'));
    return (await index.bodyIn('identity')).toString('utf8');
  });
  router.get('/console', (_request, response) => response.redirect(302, 'console/'));
  router.get('/console/assets/:name', async (request, response, next) => {
    const open = (await files()).get(request.params.name);
    if (!open) return next('router');
    await sendAsset(request, response, await open(), forever);
  });
  router.get('/console/*path', sendPage);
  router.get('/console/', sendPage);
  return router;

  async function sendPage(_request: Request, response: Response): Promise<void> {
    const html = await page();
    const nonce = randomBytes(16).toString('base64');
    response
      .set({
        'Content-Security-Policy': policyWith(nonce),
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      .type('html')
      .send(html.replace('%STYLE_NONCE%', nonce));
  }
}

/**
 * The names contain the hash of the content, so a browser can cache the files permanently. Each is read with its first
 * request.
 */
async function listFiles(): Promise<Map<string, () => Promise<Asset>>> {
  const names = await readdir(dist);
  return new Map(
    names.map((name) => [name.slice(0, -'.br'.length), once(() => openStored(join(dist, name)))] as const),
  );
}

/**
 * Styles are also created at run time, for the size of the window; only those with the nonce of the page are allowed.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
