import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isWebPort, webPorts } from '../../lib/network.ts';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/webhook-sender.ts';
import { allowedOnly, isLocalName, isPublicAddress, type Lookup, literalAddress, RefusedAddress } from './addresses.ts';
import { createNames } from './names.ts';

export interface WebhookSenderOptions {
  /** Whether addresses of private networks are allowed, for a receiver on the developer's own machine. */
  allowPrivate: boolean;
  /**
   * Whether only this machine can reach the platform, in development: then an error names the setting that allows
   * private addresses.
   */
  isLocal?: boolean;
  /** URLs that begin with it are allowed although they are private: the receivers of the demo. */
  allowedPrefix?: string | null;
  timeoutMs?: number;
  /** Resolves names to addresses. */
  lookup?: Lookup;
}

/** How long an attempt may take until its whole answer has arrived. */
export const attemptTimeoutMs = 10_000;
const answerBytesMax = 1024;
/**
 * How long the registration of an endpoint waits for its name to be resolved. A name that cannot be resolved yet is
 * checked at each connection.
 */
const resolveMaxMs = 1_000;

/** Sends over HTTP, without following redirects and without reading more of an answer than is stored. */
export function createWebhookSender({
  allowPrivate,
  isLocal = false,
  allowedPrefix = null,
  timeoutMs = attemptTimeoutMs,
  lookup = createNames().lookup,
}: WebhookSenderOptions): WebhookSender {
  const isAllowed = (address: string): boolean => allowPrivate || isPublicAddress(address);
  const isOwn = ({ href }: URL): boolean => allowedPrefix !== null && href.startsWith(allowedPrefix);
  const connect = { lookup: allowedOnly(lookup, isAllowed) };

  async function refusalOf(text: string): Promise<string | null> {
    const url = new URL(text);
    if (!isWebPort(url)) return `must have ${webPorts}`;
    if (allowPrivate || isOwn(url)) return null;
    const literal = literalAddress(url);
    const allowed =
      literal === null ? !isLocalName(url) && (await resolvesPublicly(lookup, url.hostname)) : isPublicAddress(literal);
    if (allowed) return null;
    const remedy = isLocal ? ': for a receiver on your machine start the platform with WEBHOOK_ALLOW_PRIVATE=true' : '';
    return `must not lead to a private, loopback, link-local or otherwise internal address${remedy}`;
  }

  function send({ url: text, headers, body, signal, hasShortTimeout }: WebhookRequest): Promise<WebhookAnswer> {
    const startedAt = performance.now();
    const url = new URL(text);
    const limitMs = hasShortTimeout ? timeoutMs / 10 : timeoutMs;
    const timeout = AbortSignal.timeout(limitMs);
    return new Promise((resolve) => {
      const answer: WebhookAnswer = {
        status: null,
        durationMs: 0,
        responseBody: null,
        responseHeaders: null,
        retryAfter: null,
        timedOut: false,
        error: null,
        aborted: false,
      };
      const end = (error: string | null) =>
        resolve({
          ...answer,
          error,
          timedOut: timeout.aborted,
          aborted: answer.status === null && signal?.aborted === true,
          durationMs: Math.round(performance.now() - startedAt),
        });
      // Of an address that was stored before this was refused.
      if (!isWebPort(url)) return end(`The address must have ${webPorts}.`);
      // A host that is an address is never resolved, so it is checked here.
      const literal = literalAddress(url);
      if (literal !== null && !isAllowed(literal) && !isOwn(url)) return end(new RefusedAddress().message);
      const startRequest = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = startRequest(url, {
        ...(isOwn(url) ? {} : connect),
        method: 'POST',
        agent: false,
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      // After a status was received, an error in the rest of the answer does not count: the part that was read is kept.
      request.on('error', (error) => answer.status === null && end(messageOf(error, timeout, limitMs)));
      request.on('response', (response) => {
        answer.status = response.statusCode ?? null;
        answer.responseHeaders = headersOf(response);
        answer.retryAfter = response.headers['retry-after'] ?? null;
        void firstBytes(response).then((bytes) => {
          answer.responseBody = textOf(bytes);
          end(null);
          request.destroy();
        });
      });
      request.end(body);
    });
  }

  return { refusalOf, send };
}

const headerBytesMax = 2048;

/** The first headers, as far as they fit, without cookies, which are secrets of the receiver. */
function headersOf({ rawHeaders }: IncomingMessage): { name: string; value: string }[] {
  const headers: { name: string; value: string }[] = [];
  let length = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    length += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (length > headerBytesMax) break;
    headers.push({ name, value: name.toLowerCase() === 'set-cookie' ? '[redacted]' : value });
  }
  return headers;
}

function firstBytes(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = () => resolve(Buffer.concat(chunks).subarray(0, answerBytesMax));
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= answerBytesMax) done();
    });
    for (const event of ['end', 'error', 'close']) response.on(event, done);
  });
}

/** The bytes as a string for a column: without an incomplete character at the end, and without NUL. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}

function messageOf(error: NodeJS.ErrnoException, timeout: AbortSignal, limitMs: number): string {
  if (timeout.aborted) return `No answer within ${limitMs / 1000} s.`;
  if (error instanceof RefusedAddress) return error.message;
  return error.code ? `${error.code}: ${error.message || 'the connection failed.'}` : error.message;
}

function resolvesPublicly(lookup: Lookup, hostname: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), resolveMaxMs);
    lookup(hostname, { all: true }, (_error, addresses) => {
      clearTimeout(timer);
      resolve((addresses ?? []).every(({ address }) => isPublicAddress(address)));
    });
  });
}
