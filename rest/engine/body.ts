import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { inputDepthMax, isJsonObject, joinPath, nameOfJson } from '../../src/graph/input.ts';
import { mayHaveFraction } from '../../src/graph/written-amounts.ts';
import { InvalidInput, invalid } from '../../src/kit/errors.ts';
import { jsonFaultIn } from './json-fault.ts';
import { fieldsIn, repeatedName, shapeOf } from './json-shape.ts';
import { type BodyServices, parseBytes } from './receive-bytes.ts';

/** The fields of all objects and the elements of all lists of a body together, where no other number is given. */
const bodyEntriesMax = 10_000;

/** Reads the body of a request as a JSON object. An empty body is `{}`. */
export function readBody(
  services: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
  entriesMax = bodyEntriesMax,
): Promise<Record<string, unknown>> {
  return parseBytes(services, request, bytesMax, (bytes) => {
    if (bytes.length === 0) return {};
    assertJsonContent(request);
    return parseObject(bytes, entriesMax);
  });
}

/**
 * Reads the body of a request that is already refused, for the audit log, regardless of its content type. Null if the
 * body is not a JSON object.
 */
export async function readRefusedBody(
  services: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
): Promise<Record<string, unknown> | null> {
  try {
    return await parseBytes(services, request, bytesMax, (bytes) => parseObject(bytes, bodyEntriesMax));
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

/** Reads the body of a request as text, regardless of its content type: a signature covers its bytes. */
export function readText(services: BodyServices, request: IncomingMessage, bytesMax: number): Promise<string> {
  return parseBytes(services, request, bytesMax, (bytes) => {
    assertNoEncoding(request);
    return bytes.toString('utf8');
  });
}

/** Whether the body is what a browser sends for a form. */
export function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '');
}

/** Reads the fields of a form. Those of a body of another type are none. */
export async function readFields(
  services: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
): Promise<URLSearchParams> {
  if (!isForm(request)) return new URLSearchParams();
  const text = await readText(services, request, bytesMax);
  assertUtf8(request, 'application/x-www-form-urlencoded');
  return new URLSearchParams(text);
}

export function assertJsonContent(request: IncomingMessage): void {
  assertNoEncoding(request);
  const type = request.headers['content-type'];
  if (type === 'application/json') return;
  const [essence = ''] = (type ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json')
    throw unsupported('A body must be JSON: send the header "Content-Type: application/json".');
  assertUtf8(request, 'application/json');
}

function assertUtf8({ headers }: IncomingMessage, type: string): void {
  const charset = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replace(/^"(.*)"$/, '$1');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw unsupported(`A body must be in UTF-8: send "Content-Type: ${type}; charset=utf-8".`);
}

function assertNoEncoding({ headers: { 'content-encoding': encoding } }: IncomingMessage): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported(`A body with Content-Encoding ${encoding} is not supported: send the body without compression.`);
}

function parseObject(bytes: Buffer, entriesMax: number): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalidBody('the body is not valid UTF-8');
  const { depth, names, entries } = shapeOf(bytes, entriesMax);
  if (entries > entriesMax) throw invalidBody(`the body has more than ${entriesMax} fields and list elements`);
  if (depth > inputDepthMax) throw invalidBody(`the body is nested deeper than ${inputDepthMax} levels`);
  const withMark = bytes.toString('utf8');
  const text = withMark.startsWith('\ufeff') ? withMark.slice(1) : withMark;
  const value = parseJson(text);
  if (!isJsonObject(value)) throw invalidBody(`the body must be a JSON object, not ${nameOfJson(value)}`);
  // JSON.parse keeps the last of them, a proxy or the client's own log perhaps the first.
  if (fieldsIn(value) < names) throw invalid(joinPath('', repeatedName(text)), 'is sent more than once in one object');
  if (mayHaveFraction(text)) texts.set(value, text);
  return value;
}

const texts = new WeakMap<object, string>();

/** The text of a body that was read. Undefined if none of its numbers has a fraction. */
export function textWithFractions(body: object): string | undefined {
  return texts.get(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidBody(`the body is not valid JSON: ${jsonFaultIn(text)}`);
  }
}

function unsupported(message: string): InvalidInput {
  return new InvalidInput([{ path: '', message }], message, 'UNSUPPORTED_MEDIA_TYPE', 415);
}

function invalidBody(message: string): InvalidInput {
  return new InvalidInput([{ path: '', message }]);
}
