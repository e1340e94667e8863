import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of one request: it reaches the server; its connection ends before it does, or after the server has
 * answered; the server answers and the answer is lost; or another answers.
 */
export type FaultKind =
  | 'pass'
  | 'cut before'
  | 'cut after'
  | 'silence after'
  | { status: number; headers?: object; body?: string };

export interface FailingProxy {
  url: string;
  /** The `Idempotency-Key` of every request, in order. */
  keys: (string | undefined)[];
  /** The requests that come next meet these fates, and those after them pass. */
  next(...fates: FaultKind[]): void;
  close(): Promise<void>;
}

/** A proxy before a server, which fails on purpose. */
export async function startFailingProxy(target: string): Promise<FailingProxy> {
  const fates: FaultKind[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString());
    void meet(fates.shift() ?? 'pass', target, request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    keys,
    next: (...coming) => void fates.push(...coming),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function meet(
  fate: FaultKind,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (fate === 'cut before') return void response.destroy();
  if (typeof fate === 'object') return void response.writeHead(fate.status, { ...fate.headers }).end(fate.body);
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const answer = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const text = await answer.text();
  if (fate === 'cut after') return void response.destroy();
  if (fate === 'silence after') return;
  const kept = [...answer.headers].filter(([name]) => !['content-length', 'content-encoding'].includes(name));
  response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
}
