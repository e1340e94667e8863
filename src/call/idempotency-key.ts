// cspell:ignore idempotencykey
import type { IncomingMessage } from 'node:http';
import { InvalidInput } from '../lib/errors.ts';

const idempotencyKeyLengthMax = 255;

/** The header's names in other APIs, and misspellings. If they were ignored, the sender would have no protection. */
const misspellings = [
  'x-idempotency-key',
  'idempotencykey',
  'idempotent-key',
  'idempotence-key',
  'idempotency_key',
  'x-request-idempotency-key',
];

/**
 * The value of the header `Idempotency-Key`: bare, or quoted as a structured field. Null if the header was not sent. A
 * header that was sent without a usable value is rejected, since its sender expects protection.
 */
export function idempotencyKeyOf(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string | null {
  const misspelt = misspellings.find((name) => name in request.headers);
  if (misspelt !== undefined)
    throw new InvalidInput([{ path: misspelt, message: '(header) is not supported: the header is Idempotency-Key' }]);
  const sent = request.headers['idempotency-key']?.toString();
  if (sent === undefined) return null;
  // Node joins a header that was sent twice with a comma. It is unknown which value is meant, and a retry that sends
  // only one would charge again.
  if (sent.includes(',') && (request.headersDistinct['idempotency-key']?.length ?? 0) > 1)
    throw invalidKey('must be sent once');
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(sent)?.[1];
  const key = quoted === undefined ? sent : quoted.replace(/\\(["\\])/g, '$1');
  if (key.length < 1 || key.length > idempotencyKeyLengthMax || !/^[\x20-\x7e]+$/.test(key))
    throw invalidKey(`must be 1 to ${idempotencyKeyLengthMax} printable ASCII characters`);
  return key;
}

function invalidKey(rule: string): InvalidInput {
  return new InvalidInput([{ path: 'Idempotency-Key', message: `(header) ${rule}` }]);
}
