import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RequestHandler, Router } from 'express';
import { createContext } from '../src/call/context.ts';
import { authenticateSession } from '../src/iam/public.ts';
import { RateLimited } from '../src/lib/errors.ts';
import { openExport } from '../src/operators/public.ts';
import type { Services } from '../src/services.ts';
import { admit } from './engine/admit.ts';
import { exchangeOf } from './engine/exchange.ts';

/**
 * The maximum number of files that one process sends concurrently. Each reads the database as fast as its client reads
 * the rows.
 */
const atOnceMax = 4;
const busyRetryAfterS = 5;

/**
 * The files of exports, which mutations of the graph begin. A file is created while it is sent: rows are read no faster
 * than the client reads them, and no longer once it has disconnected.
 */
export function exportRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  let sending = 0;
  router.get('/exports/:export', async (request, response) => {
    const ip = request.ip ?? '';
    const { caller, headers } = await admit(services, request, authenticateSession, ip);
    const context = createContext({ services, caller, requestId: exchangeOf(request).requestId, ip });
    const file = await openExport({ ...context, caller }, request.params.export);
    if (sending >= atOnceMax) throw new RateLimited(busyRetryAfterS, {}, 'Several exports are being sent');
    response.set({
      ...headers,
      'Content-Disposition': `attachment; filename="${file.name}"`,
      'Content-Type': 'text/csv; charset=utf-8',
      'Cache-Control': 'no-store',
    });
    if (request.method === 'HEAD') return void response.end();
    sending += 1;
    // Admission control, the log and the limits of the connection also listen to it.
    response.setMaxListeners(response.getMaxListeners() + 5);
    try {
      await pipeline(Readable.from(file.parts), response);
    } catch (error) {
      if (!response.headersSent) throw error;
      // The connection is closed before the end, so that the client knows that the file is incomplete.
      if (!isClientGone(error)) services.log.error({ err: error }, 'An export was broken off.');
    } finally {
      sending -= 1;
    }
  });
  return router;
}

function isClientGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
