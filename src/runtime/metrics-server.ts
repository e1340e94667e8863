import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/** Serves metrics on a port of their own, which clients cannot reach and which therefore asks for no token. */
export function createMetricsServer(metrics: Pick<Metrics, 'text' | 'contentType'>): Server {
  return createServer((request, response) => {
    const isKnown = (request.url ?? '').split('?')[0] === '/metrics';
    if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD'))
      return void response.writeHead(isKnown ? 405 : 404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
