import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import fresh from 'fresh';
import { fontCss, tokensCss } from '../../../src/theme/tokens.ts';
import { nameExchange } from '../../engine/exchange.ts';
import { type Encoding, encodingFor } from '../../engine/respond.ts';

/** Runs `make` at the first call and returns its result for all calls. If it failed, the next call runs it again. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    if (made) return made;
    const making = make();
    made = making;
    making.catch(() => {
      if (made === making) made = undefined;
    });
    return making;
  };
}

/**
 * A file that is the same for every client. It is encoded once per encoding, at the first request for it, by Node's
 * thread pool, and is cached: concurrent requests wait for the same result.
 */
export interface Asset {
  /** The name with the hash of the content, for an address that is cached permanently. */
  name: string;
  hash: string;
  /** An extension, or a media type. */
  type: string;
  bodyIn(encoding: Encoding | 'identity'): Promise<Buffer>;
}

/** `type` defaults to that of the file's extension. */
export function createAsset(file: string, content: string | Uint8Array, type?: string): Asset {
  const body = Buffer.from(content);
  return assetOf(
    file,
    body,
    {
      identity: async () => body,
      br: () => toBrotli(body, brotli),
      gzip: () => toGzip(body),
    },
    type,
  );
}

/** An asset from a file that is stored compressed by Brotli, which most clients accept. */
export async function openStored(path: string): Promise<Asset> {
  const stored = await readFile(path);
  const identity = once(() => fromBrotli(stored));
  return assetOf(basename(path, '.br'), stored, {
    identity,
    br: async () => stored,
    gzip: async () => toGzip(await identity()),
  });
}

const [toBrotli, fromBrotli, toGzip] = [
  promisify(brotliCompress),
  promisify(brotliDecompress),
  promisify<Buffer, Buffer>(gzip),
];
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

function assetOf(
  file: string,
  hashed: Buffer,
  make: Record<Encoding | 'identity', () => Promise<Buffer>>,
  type?: string,
): Asset {
  const { name, ext: extension } = parse(file);
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, 16);
  const made = { identity: once(make.identity), br: once(make.br), gzip: once(make.gzip) };
  return { name: `${name}-${hash}${extension}`, hash, type: type ?? extension, bodyIn: (encoding) => made[encoding]() };
}

/** For an address that contains the hash of the content. */
export const forever = 'public, max-age=31536000, immutable';

/** Sends the asset in the best encoding, or 304 to a client that has it. */
export async function sendAsset(
  request: Request,
  response: Response,
  asset: Asset,
  cacheControl: string,
): Promise<void> {
  const encoding = encodingFor(request) ?? 'identity';
  // An answer that no client stores needs no tag.
  const etag = cacheControl === 'no-store' ? undefined : `"${asset.hash}-${encoding}"`;
  response
    .set({
      ...(etag && { ETag: etag }),
      'Cache-Control': cacheControl,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    })
    .type(asset.type);
  if (etag && isKnown(request, etag)) return void response.status(304).end();
  const body = await asset.bodyIn(encoding);
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.set('Content-Length', String(body.length)).end(body);
}

/** Whether the client has it. Of its headers only If-None-Match counts, so that it cannot make the server send more. */
export function isKnown({ headers }: Pick<Request, 'headers'>, etag: string): boolean {
  return fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
}

/** The mark of the platform: two P, one leaning on the other, whose bowls are cards. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1a56db"/>
<path d="M13 6h9a4 4 0 0 1 4 4v3a4 4 0 0 1-4 4" fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="2.5"
  stroke-linecap="round"/>
<path d="M8 26V13a2 2 0 0 1 2-2h8a3 3 0 0 1 3 3v4a3 3 0 0 1-3 3h-7v5z" fill="#fff"/>
<path d="M11 14.5h7" stroke="#1a56db" stroke-width="2" stroke-linecap="round"/>
</svg>
`;

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', 'files', file), 'utf8');

/** The files that the platform's pages share. The name of each contains the hash of its content. */
const files = {
  style: createAsset('platform.css', `${fontCss}\n${tokensCss}\n${read('platform.css')}`),
  script: createAsset('page.js', read('page.js')),
  mark: createAsset('mark.svg', mark),
  docsStyle: createAsset('docs.css', read('docs.css')),
  docsScript: createAsset('docs.js', read('docs.js')),
} as const;

/** The files of the font, by the subset of characters. Their addresses are in font.css, without a hash. */
const fonts = ['latin', 'latin-ext'].map((subset) => {
  const file = fileURLToPath(import.meta.resolve(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`));
  return [`/assets/inter-${subset}.woff2`, once(async () => createAsset(file, await readFile(file)))] as const;
});

/** Paths from the root of the server, without the leading slash. */
export const fileUrls = {
  style: `assets/${files.style.name}`,
  script: `assets/${files.script.name}`,
  mark: `assets/${files.mark.name}`,
  docsStyle: `assets/${files.docsStyle.name}`,
  docsScript: `assets/${files.docsScript.name}`,
} as const;

export function siteFileRoutes(): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  for (const asset of Object.values(files))
    router.get(`/assets/${asset.name}`, nameExchange, (request: Request, response) =>
      sendAsset(request, response, asset, forever),
    );
  for (const [path, read] of fonts)
    router.get(path, nameExchange, async (request: Request, response) =>
      sendAsset(request, response, await read(), 'public, max-age=604800'),
    );
  return router;
}
