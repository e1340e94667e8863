import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parse as parseType } from 'content-type';
import { inputDepthMax, isJsonObject, joinPath, nameOfJson } from '../../src/graph/input/check.ts';
import { mayHaveFraction } from '../../src/graph/input/written-amounts.ts';
import { type DomainError, InvalidInput, invalid } from '../../src/lib/errors.ts';
import { releaseSlotWhile } from '../../src/limits/admission.ts';
import type { HeldBody } from '../../src/limits/body-memory.ts';
import type { Services } from '../../src/services.ts';

/**
 * Above this many characters only V8's message is used, since searching for the position parses prefixes of the text.
 */
const searchedMax = 8 * 1024;

/**
 * Where a text stops being JSON, and why: "line 2, column 7: expected double-quoted property name". Nothing of the text
 * is repeated, since it may contain a card number.
 */
export function jsonFaultIn(text: string): string {
  const said = faultOf(text);
  const position = endsEarly.test(said) ? text.length : (positionIn(said) ?? searched(text));
  if (position === undefined) return 'a character is unexpected';
  if (position >= text.length) return 'it ends too early';
  const lines = text.slice(0, position).split('\n');
  // Of V8's message only the part before the position; the form without a position repeats the text.
  const [, reason = 'unexpected character'] = /^([A-Z][^"\n]*?) in JSON at position /.exec(said) ?? [];
  return (
    `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}: ` +
    `${reason[0]?.toLowerCase()}${reason.slice(1)}`
  );
}

const endsEarly = /^Unexpected end|^Unterminated/;

/** V8's message for a text; empty for JSON. */
function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

function positionIn(said: string): number | undefined {
  const [, position] = /at position (\d+)/.exec(said) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** The length of the longest prefix that could be continued to valid JSON. */
function searched(text: string): number | undefined {
  if (text.length > searchedMax) return undefined;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    const said = faultOf(text.slice(0, middle));
    if (said === '' || endsEarly.test(said) || positionIn(said) === middle) good = middle;
    else bad = middle;
  }
  return good;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
/** `[` and `{` have this code if their bit of 0x20 is ignored, `]` and `}` the other. */
const [opening, closing] = [0x5b, 0x5d];

/**
 * Reads the depth of a JSON text, the number of fields and list elements, where an empty object or list counts as one,
 * and the first name that an object repeats. It builds no values, which takes much longer, and stops when the entries
 * exceed their bound. For a text that is not JSON the result has no meaning.
 */
function shapeOf(text: string, entriesMax: number): { depth: number; entries: number; repeated: string | undefined } {
  const open: Set<string>[] = [];
  let [depth, entries, start, end] = [0, 0, 0, 0];
  let repeated: string | undefined;
  for (let at = 0; at < text.length && entries <= entriesMax; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      start = ++at;
      while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
      end = at;
    } else if (code === colon) {
      const name = unescaped(text.slice(start, end));
      if (open.at(-1)?.has(name)) repeated ??= name;
      open.at(-1)?.add(name);
    } else if (code === comma) entries += 1;
    else if ((code & ~0x20) === opening) {
      entries += 1;
      depth = Math.max(depth, open.push(new Set()));
    } else if ((code & ~0x20) === closing) open.pop();
  }
  return { depth, entries, repeated };
}

function unescaped(written: string): string {
  const quoted = `"${written}"`;
  return written.includes('\\') && faultOf(quoted) === '' ? String(JSON.parse(quoted)) : written;
}

/** How much of a rejected body is still read and discarded, so that the client can read the response. */
const drainBytesMax = 32 * 1024 * 1024;
const drainMs = 5_000;
const capacityMin = 1024;

/** The client closed the connection before the body was complete, so no response can be sent. */
export class ConnectionLost extends Error {}

/** The services that reading a body needs. */
type BodyServices = Pick<Services, 'bodyMemory'>;

/**
 * Receives the body of a request and returns the result of `parse`. Until then its bytes are counted, while the body
 * arrives and while the request waits for a slot.
 */
async function parseBytes<Parsed>(
  { bodyMemory }: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
  parse: (bytes: Buffer) => Parsed,
): Promise<Parsed> {
  const held = bodyMemory.hold(addressOf(request));
  try {
    return parse(await releaseSlotWhile(request, () => receiveBytes(request, bytesMax, held)));
  } finally {
    held.release();
  }
}

/** Express derives `ip` from its `trust proxy` setting. */
function addressOf(request: IncomingMessage & { ip?: unknown }): string {
  const { ip } = request; // read once, since it is computed
  return typeof ip === 'string' ? ip : (request.socket.remoteAddress ?? '');
}

function receiveBytes(request: IncomingMessage, bytesMax: number, held: HeldBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.closed) return reject(new ConnectionLost());
    let bytes: Buffer = Buffer.alloc(0);
    let size = 0;
    let refusal: DomainError | null = null;
    let timer: NodeJS.Timeout | undefined;
    const refuse = (error: DomainError): void => {
      if (refusal) return;
      refusal = error;
      bytes = Buffer.alloc(0);
      held.release();
      // Clients that read only after they have written the whole body fail if the response comes earlier.
      timer = setTimeout(() => reject(error), drainMs);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) refuse(payloadTooLarge(bytesMax));
      if (!refusal) {
        bytes = appended(bytes, size, chunk, bytesMax);
        held.grow(bytes.length, refuse);
      } else if (size > drainBytesMax) reject(refusal);
    });
    request.on('end', () => {
      clearTimeout(timer);
      held.complete();
      if (refusal) reject(refusal);
      else resolve(bytes.subarray(0, size));
    });
    request.on('close', () => {
      clearTimeout(timer);
      if (!request.complete) reject(new ConnectionLost());
    });
    request.on('error', () => reject(new ConnectionLost()));
  });
}

/**
 * The buffer with the chunk appended, in a larger buffer if it is full. A list of chunks could take much more memory
 * than the body, since each may be a single byte.
 */
function appended(bytes: Buffer, size: number, chunk: Buffer, bytesMax: number): Buffer {
  if (size === chunk.length) return chunk; // most bodies arrive in one chunk
  let target = bytes;
  if (size > bytes.length) {
    target = Buffer.allocUnsafeSlow(Math.min(bytesMax, Math.max(capacityMin, size, 2 * bytes.length)));
    bytes.copy(target);
  }
  chunk.copy(target, size - chunk.length);
  return target;
}

function payloadTooLarge(bytesMax: number): InvalidInput {
  const message = `The body is larger than ${bytesMax} bytes.`;
  return new InvalidInput([{ path: '', message }], message, 'PAYLOAD_TOO_LARGE', 413);
}

/** The maximum number of fields and list elements in a body, unless the endpoint has its own. */
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
 * Reads the body of a request that is already rejected, for the audit log, regardless of its content type. Null if the
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

const formType = 'application/x-www-form-urlencoded';

/** Whether the body has the content type of a browser's form. */
export function isForm({ headers }: IncomingMessage): boolean {
  return parseType(headers['content-type'] ?? '').type === formType;
}

/** Reads the fields of a form. None for a body of another type. */
export async function readFields(
  services: BodyServices,
  request: IncomingMessage,
  bytesMax: number,
): Promise<URLSearchParams> {
  if (!isForm(request)) return new URLSearchParams();
  const text = await readText(services, request, bytesMax);
  assertType(request, formType);
  return new URLSearchParams(text);
}

export function assertJsonContent(request: IncomingMessage): void {
  assertNoEncoding(request);
  assertType(request, 'application/json');
}

/** Asserts that a body has the type, and no other charset than UTF-8. */
function assertType({ headers }: IncomingMessage, wanted: string): void {
  const { type, parameters } = parseType(headers['content-type'] ?? '');
  if (type !== wanted) throw unsupported(`A body must be JSON: send the header "Content-Type: ${wanted}".`);
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8')
    throw unsupported(`A body must be in UTF-8: send "Content-Type: ${wanted}; charset=utf-8".`);
}

function assertNoEncoding({ headers: { 'content-encoding': encoding } }: IncomingMessage): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported(`A body with Content-Encoding ${encoding} is not supported: send the body without compression.`);
}

function parseObject(bytes: Buffer, entriesMax: number): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalidBody('the body is not valid UTF-8');
  const withMark = bytes.toString('utf8');
  const text = withMark.startsWith('\ufeff') ? withMark.slice(1) : withMark;
  const { depth, entries, repeated } = shapeOf(text, entriesMax);
  if (entries > entriesMax) throw invalidBody(`the body has more than ${entriesMax} fields and list elements`);
  if (depth > inputDepthMax) throw invalidBody(`the body is nested deeper than ${inputDepthMax} levels`);
  const value = parseJson(text);
  if (!isJsonObject(value)) throw invalidBody(`the body must be a JSON object, not ${nameOfJson(value)}`);
  // JSON.parse keeps the last of them, but a proxy or the client's own log perhaps the first.
  if (repeated !== undefined) throw invalid(joinPath('', repeated), 'is sent more than once in one object');
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
