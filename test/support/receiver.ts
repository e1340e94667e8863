import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  /** The event in it. */
  event: { id: string; type: string; data: { object: Record<string, unknown> } } & Record<string, unknown>;
}

export interface Receiver {
  url: string;
  /** The requests received, in order. */
  received: Received[];
  /** Resolves when this many requests have arrived in total. */
  arrived(count: number): Promise<void>;
  /** The highest number of concurrent requests. */
  readonly openMax: number;
  close(): Promise<void>;
}

/** Answers a request: returns the status, or writes the response itself. */
export type Answering = (received: Received, count: number, response: ServerResponse) => number | void;

/** A webhook receiver on the loopback interface, which answers as the test defines, by default with 200. */
export async function startReceiver(answer: Answering = () => 200): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let open = 0;
  let openMax = 0;
  const server = createServer((request, response) => {
    openMax = Math.max(openMax, ++open);
    response.on('close', () => open--);
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const one = { headers: request.headers, text, event: JSON.parse(text) };
      received.push(one);
      const status = answer(one, received.length, response);
      if (status !== undefined) response.writeHead(status).end();
      for (const wait of waiting) if (received.length >= wait.count) wait.resolve();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    arrived: (count) =>
      new Promise((resolve) => (received.length >= count ? resolve() : waiting.push({ count, resolve }))),
    get openMax() {
      return openMax;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
