import { type Request, type RequestHandler, type Response, Router } from 'express';
import { blobCache, pageCaches, servePlugin } from '../../../src/domains/plugins/public.ts';
import { brandOfStore } from '../../../src/domains/stores/public.ts';
import { InvalidInput, NotFound } from '../../../src/lib/errors.ts';
import { splitAddress } from '../../../src/lib/network.ts';
import { addressLimit } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { acceptsPage, languageFor } from '../../engine/reader.ts';
import { isKnown } from '../frame/assets.ts';
import { refuse } from '../frame/refuse.ts';

/**
 * The pages and files of plugins (docs/contract/14-plugins.md). A page is the merchant's code and runs without an
 * origin (`sandbox` without `allow-same-origin`), so that it cannot act as a user who is signed in here. It can only
 * use what is open to every origin.
 */
const pagePolicy = [
  "default-src 'none'",
  // A page may compile its own WebAssembly, but must not evaluate text as code.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-scripts allow-forms allow-modals allow-popups',
].join('; ');
const filePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
const yearS = 31_536_000;
/** Requests of one address, which many visitors may share. A page has a few files, which browsers cache. */
const requestsPerMinute = 1_200;

export function pluginPageRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const count = addressLimit(services, requestsPerMinute);
  const served = { pool: services.pool, blobs: blobCache(), pages: pageCaches() };

  router.use(async (request, response, next) => {
    const isHashKnown = (hash: string): boolean => isKnown(request, `"${hash}"`);
    const requested = parsePluginRequest(request.url);
    if (!requested) return next();
    exchangeOf(request).route = '/p/:storeId/:alias/*';
    fixHeaders(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.set('Allow', 'GET, HEAD');
      const message = 'This URL supports GET and HEAD only.';
      throw new InvalidInput([{ path: '', message }], message, 'METHOD_NOT_ALLOWED', 405);
    }
    count(request.ip); // before anything is read
    const refuseMissing = async (storeId: string): Promise<void> => {
      const brand = acceptsPage(request) ? await brandOfStore(services, storeId).catch(() => null) : null;
      refuse(services, request, response, new NotFound('Page not found.'), { brand });
    };
    if (requested === 'nowhere') return refuseMissing('');
    response.vary('Sec-Fetch-Site');
    if (isCodeForOwnPages(request)) return refuseMissing(requested.storeId);
    const answer = await servePlugin(served, {
      ...requested,
      isKnown: isHashKnown,
      locale: languageFor(request, response),
    });
    const sendUnlessKnown = (hash: string, body: string | Buffer | null): void => {
      response.set('ETag', `"${hash}"`);
      if (body === null || isHashKnown(hash)) response.status(304).end();
      else response.send(body);
    };
    switch (answer.kind) {
      case 'none':
        return refuseMissing(requested.storeId);
      case 'redirect':
        return void response.set('Cache-Control', 'no-cache').redirect(
          308,
          request.url.replace(/^[^?]*/, () => answer.path),
        );
      case 'page':
        response
          .set({
            'Content-Security-Policy': pagePolicy,
            'Cache-Control': requested.session === null ? 'no-cache' : 'private, no-cache',
          })
          .vary('Accept-Language, Cookie')
          .type('text/html; charset=utf-8');
        return sendUnlessKnown(answer.hash, answer.html);
      case 'asset':
        response
          .set({
            // Browsers do not show a PDF in a sandbox; their viewer runs no code of it in this origin.
            'Content-Security-Policy':
              answer.contentType === 'application/pdf' ? filePolicy.replace('; sandbox', '') : filePolicy,
            'Cache-Control': answer.isHashed ? `public, max-age=${yearS}, immutable` : 'no-cache',
          })
          .type(isText(answer.contentType) ? `${answer.contentType}; charset=utf-8` : answer.contentType);
        return sendUnlessKnown(answer.sha256, answer.content);
    }
  });

  return router;
}

/**
 * Whether a page of this origin, such as the console, loads a plugin's file as code: its policy admits `'self'`. Pages of
 * plugins have no origin, so that browsers call their requests cross-site.
 */
function isCodeForOwnPages(request: Request): boolean {
  const [site = '', use = ''] = ['Sec-Fetch-Site', 'Sec-Fetch-Dest'].map((name) => request.get(name));
  return site === 'same-origin' && /script|style|work|object|embed/.test(use);
}

type Requested = Omit<Parameters<typeof servePlugin>[1], 'locale' | 'isKnown'>;

/** The plugin page of a URL below `/p`: undefined for another URL, `nowhere` if it cannot be that of a page. */
function parsePluginRequest(url: string): Requested | 'nowhere' | undefined {
  const { path: rawPath, query } = splitAddress(url);
  if (rawPath !== '/p' && !rawPath.startsWith('/p/')) return undefined;
  const [, , storeId, alias, ...rest] = rawPath.split('/').map(decodePathPart);
  if (!storeId || !alias || rest.includes(undefined)) return 'nowhere';
  const parameters = new URLSearchParams(query);
  const session = parameters.get('session');
  return {
    storeId,
    alias,
    path: rest.map((part) => `/${part}`).join(''),
    version: parameters.get('v'),
    session: session !== null && /^[A-Za-z0-9._-]{16,512}$/.test(session) ? session : null,
  };
}

/**
 * One segment of a path, decoded once. Undefined if it is not a name: a dot segment, or one that contains a slash,
 * backslash, control character or percent sign, or that cannot be decoded.
 */
function decodePathPart(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part);
    return name === '.' || name === '..' || /[/\\\u0000-\u001f\u007f%]/.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

/** The pages have no origin, so any origin may read the answers; requests carry no credentials. */
function fixHeaders(response: Response): void {
  response.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  });
  // Browsers reject a sandboxed page with an opener policy.
  response.removeHeader('Cross-Origin-Opener-Policy');
}

/** Browsers compile `application/wasm` only if it has no parameter. */
function isText(contentType: string): boolean {
  return /^(text\/|application\/(?!wasm$|pdf$)|image\/svg)/.test(contentType);
}
