import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, parse } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { type Encoding, encodingFor } from '../engine/encoding.ts';

/** A file that is the same for every client. It is compressed with the first request for each encoding, and once. */
export interface Asset {
  /** The name with the hash of the content, for an address that is kept forever. */
  name: string;
  hash: string;
  extension: string;
  bodyIn(encoding: Encoding | 'identity'): Promise<Buffer>;
}

export function createAsset(file: string, content: string | Buffer): Asset {
  const body = Buffer.from(content);
  return assetOf(file, body, {
    identity: async () => body,
    br: () => toBrotli(body, brotli),
    gzip: () => toGzip(body),
  });
}

/** From a file that is stored compressed by Brotli, as most clients take it. */
export function openStored(path: string): Asset {
  const stored = readFileSync(path);
  const identity = () => fromBrotli(stored);
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

function assetOf(file: string, hashed: Buffer, make: Record<Encoding | 'identity', () => Promise<Buffer>>): Asset {
  const { name, ext: extension } = parse(file);
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, 16);
  const made = new Map<Encoding | 'identity', Promise<Buffer>>();
  return {
    name: `${name}-${hash}${extension}`,
    hash,
    extension,
    async bodyIn(encoding) {
      const body = made.get(encoding) ?? make[encoding]();
      made.set(encoding, body);
      return body;
    },
  };
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
  response
    .set({
      ETag: `"${asset.hash}-${encoding}"`,
      'Cache-Control': cacheControl,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    })
    .type(asset.extension);
  if (request.fresh) return void response.status(304).end();
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.send(await asset.bodyIn(encoding));
}
