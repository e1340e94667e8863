import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { type Encoding, encodingFor } from '../engine/encoding.ts';
import { once } from './once.ts';

/**
 * A file that is the same for every client. It is made in each encoding once, with the first request for it, by the
 * threads that Node has for this, and is kept: other requests meanwhile wait for the same.
 */
export interface Asset {
  /** The name with the hash of the content, for an address that is kept forever. */
  name: string;
  hash: string;
  /** An extension, or a media type. */
  type: string;
  bodyIn(encoding: Encoding | 'identity'): Promise<Buffer>;
}

/** `type` is that of the extension of the file, if it is not given. */
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

/** From a file that is stored compressed by Brotli, as most clients take it. */
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
  const etag = `"${asset.hash}-${encoding}"`;
  response
    .set({
      ETag: etag,
      'Cache-Control': cacheControl,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    })
    .type(asset.type);
  if (isKnown(request.headers['if-none-match'], etag)) return void response.status(304).end();
  const body = await asset.bodyIn(encoding);
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.set('Content-Length', String(body.length)).end(body);
}

/** With or without the prefix of weak tags. A client that says which one it has gets no other copy of it. */
function isKnown(tags: string | undefined, etag: string): boolean {
  return tags !== undefined && (tags.trim() === '*' || tags.includes(etag));
}
