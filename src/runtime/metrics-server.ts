import { createServer, type Server } from 'node:http';
import type { Config } from './config.ts';
import { listen } from './http-server.ts';
import type { Metrics } from './metrics.ts';

/** Serves metrics on a port of their own, if there is one: clients cannot reach it, so it asks for no token. */
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
    const isKnown = (request.url ?? '').split('?')[0] === '/metrics';
    if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD'))
      return void response.writeHead(isKnown ? 405 : 404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
