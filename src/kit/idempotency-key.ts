import { InvalidInput } from './errors.ts';

export const idempotencyKeyLengthMax = 255;

/**
 * The value of the header `Idempotency-Key`: bare, or quoted as a structured field. Null when the header was not sent; a header
 * that was sent and says nothing usable is refused, since its sender believes to be protected.
 */
export function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const sent = Array.isArray(header) ? header.join(', ') : header;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(sent)?.[1];
  const key = quoted === undefined ? sent : quoted.replace(/\\(["\\])/g, '$1');
  if (key.length < 1 || key.length > idempotencyKeyLengthMax || !/^[\x20-\x7e]+$/.test(key)) {
    throw new InvalidInput([{ path: 'Idempotency-Key', message: `(header) must be 1 to ${idempotencyKeyLengthMax} printable ASCII characters` }]);
  }
  return key;
}
