import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** The best encoding that the client takes; null to send as it is. */
export function encodingFor({ headers }: Pick<IncomingMessage, 'headers'>): Encoding | null {
  // The header is one text in Node, also if it was sent in parts.
  const taken = (headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
    .filter(([, weight = 'q=1']) => Number(weight.replace(/^q=/, '')) > 0)
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding)) ?? null;
}

/** Below this size an answer arrives no sooner if it is compressed. */
const compressedFrom = 8 * 1024;

interface Encoded {
  body: string | Buffer;
  headers: Record<string, string>;
}

/**
 * The body of an answer that reads, compressed by another thread if it is large and the client allows it. Answers of
 * changes are not compressed: secrets are in them only, and the length of a compressed answer tells about its parts. No
 * promise is made for what is not compressed, which is most answers.
 */
export function encodeAnswer(request: Pick<IncomingMessage, 'headers'>, text: string): Encoded | Promise<Encoded> {
  if (text.length < compressedFrom) return { body: text, headers: {} };
  const encoding = encodingFor(request);
  if (encoding === null) return { body: text, headers: { Vary: 'Accept-Encoding' } };
  const headers = { 'Content-Encoding': encoding, Vary: 'Accept-Encoding' };
  return (encoding === 'br' ? toBrotli(text, fastest) : toGzip(text, small)).then((body) => ({ body, headers }));
}

/** Little memory for each answer: with the defaults of zlib a list of 100 payments takes a millisecond more. */
const small = { level: constants.Z_BEST_SPEED, windowBits: 13, memLevel: 6 };
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
