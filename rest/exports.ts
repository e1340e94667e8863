import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RequestHandler, type Response, Router } from 'express';
import type { SessionCaller } from '../src/auth/caller.ts';
import { isPlatformReader } from '../src/auth/roles.ts';
import { createContext } from '../src/call/context.ts';
import { authenticateSession } from '../src/iam/public.ts';
import { RateLimited } from '../src/lib/errors.ts';
import { type SlotLimit, Slots } from '../src/lib/slots.ts';
import { type ExportFile, openExport } from '../src/operators/public.ts';
import type { Services } from '../src/services.ts';
import { admit } from './engine/admit.ts';
import { exchangeOf } from './engine/exchange.ts';

/**
 * The maximum numbers of files that one process sends concurrently. Each reads the database as fast as its client reads
 * the rows. Internal staff have places of their own, and no person or partner can use all places of the others.
 */
const mostOfPerson = 2;
const mostOfPartner = 3;
const mostOfPartners = 12;
const mostOfStaff = 4;
/** The longest time of one file: a client that reads too slowly does not keep its place. */
const fileMaxMs = 10 * 60_000;
const fileCheckEveryMs = 1_000;
const busyRetryAfterS = 5;

/**
 * The files of exports, which mutations of the graph begin. A file is created while it is sent: rows are read no faster
 * than the client reads them, and no longer once it has disconnected.
 */
export function exportRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const places = new Slots(mostOfPartners + mostOfStaff);
  router.get('/exports/:export', async (request, response) => {
    const ip = request.ip ?? '';
    const { caller, headers } = await admit(services, request, authenticateSession, ip);
    const limits = placesOf(caller);
    if (!places.hasRoom(limits)) throw new RateLimited(busyRetryAfterS, {}, 'Several exports are being sent');
    const leave = places.take(limits);
    try {
      const context = createContext({ services, caller, requestId: exchangeOf(request).requestId, ip });
      const file = await openExport({ ...context, caller }, request.params.export);
      response.set({
        ...headers,
        'Content-Disposition': `attachment; filename="${file.name}"`,
        'Content-Type': 'text/csv; charset=utf-8',
        'Cache-Control': 'no-store',
      });
      if (request.method === 'HEAD') return void response.end();
      await send(services, file, response);
    } finally {
      leave();
    }
  });
  return router;
}

function placesOf(caller: SessionCaller): SlotLimit[] {
  const person = { name: `person/${caller.userId}`, most: mostOfPerson };
  if (isPlatformReader(caller)) return [person, { name: 'staff', most: mostOfStaff }];
  const partner = { name: `partner/${caller.whitelabelOwnership}`, most: mostOfPartner };
  return [person, partner, { name: 'partners', most: mostOfPartners }];
}

async function send({ clock, log }: Services, file: ExportFile, response: Response): Promise<void> {
  const late = new AbortController();
  const until = clock.now().getTime() + fileMaxMs;
  const check = setInterval(() => {
    if (clock.now().getTime() >= until) late.abort();
  }, fileCheckEveryMs).unref();
  // Admission control, the log and the limits of the connection also listen to it.
  response.setMaxListeners(response.getMaxListeners() + 5);
  try {
    await pipeline(Readable.from(file.parts), response, { signal: late.signal });
  } catch (error) {
    if (!response.headersSent) throw error;
    // The connection is closed before the end, so that the client knows that the file is incomplete.
    if (!isClientGone(error) && !late.signal.aborted) log.error({ err: error }, 'An export was aborted.');
  } finally {
    clearInterval(check);
  }
}

function isClientGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
