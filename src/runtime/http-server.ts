import { createServer, maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../lib/clock.ts';
import type { ErrorCode } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { splitAddress } from '../lib/network.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type Config, ConfigError } from '../settings/config.ts';

/**
 * How long a client may take for its part of a request. The time of the platform and of card processors does not count.
 */
export interface ClientTimeouts {
  /**
   * The time until the head of a request is complete, and until all of it is; then 408, and the connection is closed.
   */
  headMs: number;
  requestMs: number;
  /** The time until the client has read the answer; then the connection is closed. */
  answerMs: number;
  checkEveryMs: number;
}

export const clientTimeouts: ClientTimeouts = {
  headMs: 10_000,
  requestMs: 20_000,
  answerMs: 60_000,
  checkEveryMs: 1_000,
};

export function createHttpServer({ headMs, requestMs, checkEveryMs }: ClientTimeouts): Server {
  const server = createServer({
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
  });
  server.on('clientError', answerBroken);
  return server.on('checkContinue', (request, response) => {
    if (Number(request.headers['content-length']) > expectedBytesMax) return refuseBody(response);
    response.writeContinue();
    server.emit('request', request, response);
  });
}

/** The largest body of any path, for a client that sends `Expect: 100-continue`. */
const expectedBytesMax = 5 * 1024 * 1024;

function refuseBody(response: ServerResponse): void {
  const message = `The body is larger than ${expectedBytesMax} bytes.`;
  response
    .writeHead(413, lastHeaders())
    .end(JSON.stringify({ code: 'PAYLOAD_TOO_LARGE', message, data: {} } satisfies Problem));
}

interface Problem {
  code: ErrorCode;
  message: string;
  data: object;
}

/** Headers of the last answer on a connection, to a request that no route has seen. */
const lastHeaders = (): Record<string, string> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Request-Id': newId('req_', systemClock.now()),
  Connection: 'close',
});

/** Answers what is no request, or not one in time. A connection on which an answer has begun is only closed. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  // Node's name of the response in flight, by which its own handler decides.
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy(error);
  const [status, problem] = problemOf(error);
  const body = JSON.stringify(problem);
  const headers = { ...lastHeaders(), 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n');
  socket.end(head + body, () => socket.destroy());
}

function problemOf({ code }: NodeJS.ErrnoException): [status: number, problem: Problem] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [
      408,
      { code: 'REQUEST_TIMEOUT', message: 'The request did not arrive in time. No changes were made.', data: {} },
    ];
  if (code === 'HPE_HEADER_OVERFLOW')
    return [
      431,
      { code: 'HEADERS_TOO_LARGE', message: `The headers are larger than ${maxHeaderSize} bytes.`, data: {} },
    ];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return [413, { code: 'PAYLOAD_TOO_LARGE', message: 'The extensions of a chunk are too large.', data: {} }];
  const message = 'is not a valid HTTP/1.1 request';
  return [
    400,
    { code: 'INPUT_PARSE_ERROR', message: `The data received ${message}.`, data: { issues: [{ path: '', message }] } },
  ];
}

/** The part of a stop's ten seconds for requests in flight. The rest is for jobs and the database. */
const drainMs = 6_500;

/** `prefix` is that of the two settings, for the error. */
export function listen(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  prefix: '' | 'METRICS_' = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port, prefix)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

/** Throws the error that `listen` would throw. */
export async function assertPortFree(config: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer();
  await listen(probe, config);
  await new Promise((resolve) => probe.close(resolve));
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number, prefix: string): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `${prefix}PORT is ${port}, and another program listens there already; stop it or choose another ${prefix}PORT.`,
    );
  if (error.code === 'EACCES')
    return new ConfigError(`${prefix}PORT is ${port}, which this user may not listen on; choose one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ConfigError(
      `${prefix}HOST is ${JSON.stringify(host)}, which is no address of this machine; it must be one, such as ` +
        '127.0.0.1 or 0.0.0.0.',
    );
  return error;
}

/**
 * Answers calls as before for `delayMs`, in which load balancers see that this server is not ready. Then it accepts no
 * new connection and closes each when its request is answered, or all when the time has expired.
 */
export async function drain(server: Server, delayMs: number): Promise<void> {
  // Its client then sends nothing on the connection that would arrive when it is closed. First, before the listener
  // that may answer at once.
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  if (delayMs > 0) await delay(delayMs);
  await new Promise<void>((resolve) => {
    const forced = setTimeout(() => server.closeAllConnections(), drainMs);
    // A connection that becomes idle after its last answer would otherwise stay open for its keep-alive time.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(forced);
      clearInterval(idle);
      resolve();
    });
  });
}

/** Serves metrics on a separate port, if there is one. Clients cannot reach that port, so it requires no token. */
export async function openMetricsServer(
  { metrics: { listener } }: Pick<Config, 'metrics'>,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  opened: AsyncDisposableStack,
): Promise<void> {
  if (!listener) return;
  const server = createMetricsServer(metrics);
  await listen(server, listener, 'METRICS_');
  opened.defer(() => {
    server.close();
    server.closeAllConnections();
  });
}

function createMetricsServer(metrics: Pick<Metrics, 'text' | 'contentType'>): Server {
  return createServer((request, response) => {
    const isKnown = splitAddress(request.url ?? '').path === '/metrics';
    if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD'))
      return void response.writeHead(isKnown ? 405 : 404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
