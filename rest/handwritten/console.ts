import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { exchangeOf } from '../engine/exchange.ts';
import { type Asset, forever, openStored, sendAsset } from '../site/asset.ts';

const dist = join(import.meta.dirname, '..', '..', 'console', 'dist');

/**
 * The console: one page, which asks `/graphql` with the session of the browser, and the files of its build. Every path
 * below `/console/` is a page of it. The files contain no data, so they are sent to anybody.
 */
export function consoleRoutes(): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  // Read with the first request and not at every start.
  let files: Map<string, Asset> | undefined;
  let page: string | undefined;
  router.get('/console', (_request, response) => response.redirect(302, 'console/'));
  router.get('/console/assets/:name', async (request, response, next) => {
    exchangeOf(request).route = '/console/assets/:name';
    files ??= openFiles();
    const asset = files.get(request.params.name);
    if (!asset) return next('router');
    await sendAsset(request, response, asset, forever);
  });
  router.get('/console/*path', sendPage);
  router.get('/console/', sendPage);
  return router;

  function sendPage(request: Parameters<RequestHandler>[0], response: Parameters<RequestHandler>[1]): void {
    exchangeOf(request).route = '/console/*path';
    page ??= brotliDecompressSync(readFileSync(join(dist, 'index.html.br'))).toString('utf8');
    const nonce = randomBytes(16).toString('base64');
    response
      .set({
        'Content-Security-Policy': policyWith(nonce),
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      .type('html')
      .send(page.replace('%STYLE_NONCE%', nonce));
  }
}

/** The names contain the hash of the content, so a browser keeps them. */
function openFiles(): Map<string, Asset> {
  return new Map(
    readdirSync(dist).map((name) => [name.slice(0, -'.br'.length), openStored(join(dist, name))] as const),
  );
}

/** Styles are also made at run time, for the sizes of a window; only those with the nonce of the page are used. */
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
