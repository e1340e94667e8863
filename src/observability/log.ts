import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config, LogLevel } from '../settings/config.ts';
import type { Metrics } from './metrics.ts';
import { prettyLine } from './pretty-log.ts';
import { scrub } from './scrub.ts';

export type Log = Logger;

/**
 * One JSON object per line, or a short line for people. Secrets and card numbers are removed before, by the name of the
 * field and by their pattern.
 */
export function createLog({
  level = 'info',
  format = 'json',
  hasPid = false,
  destination = bufferedDestination(),
}: {
  level?: LogLevel;
  format?: Config['logFormat'];
  /** Whether each line names its process. */
  hasPid?: boolean;
  destination?: DestinationStream;
} = {}): Log {
  const isColored = !process.env['NO_COLOR'];
  const out =
    format === 'json'
      ? destination
      : { write: (line: string): void => void destination.write(prettyLine(line, isColored)) };
  const options = {
    level,
    base: hasPid ? { pid: process.pid } : undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: plainError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, out);
}

/**
 * An error with its causes and its plain values. Objects that a library attaches, such as the connection of pg-pool or
 * the request of an HTTP client, are omitted: they are long, and contain values that must not be logged.
 */
function plainError(error: Error): Record<string, unknown> {
  return withoutObjects(pino.stdSerializers.errWithCause(error));
}

function withoutObjects(error: object): Record<string, unknown> {
  const kept = Object.entries(error).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'aggregateErrors' && Array.isArray(value)) return [[name, value.map(withoutObjects)]];
    if (typeof value === 'string') return [[name, shortened(value)]];
    if (typeof value !== 'object' || value === null) return [[name, value]];
    return name === 'cause' ? [[name, withoutObjects(value)]] : [];
  });
  return Object.fromEntries(kept);
}

/** Of each text of an error: its stack, and a message that may quote what a request contained. */
const errorTextMax = 4_000;

function shortened(text: string): string {
  return text.length <= errorTextMax
    ? text
    : `${text.slice(0, errorTextMax).toWellFormed()}… (${text.length} characters)`;
}

const gatherBytes = 8 * 1024; // counted as characters: nearly all are of one byte
const gatherMs = 50;

/**
 * Standard output, with many lines per write: a separate write for every line took a tenth of a cheap request. A kill
 * -9 loses at most the last 50 ms of the log; every other end of the process writes the rest.
 */
function bufferedDestination(): DestinationStream & { flushSync(): void } {
  const out = pino.destination({ dest: 1, sync: true });
  // The log of a closed terminal or pipe has no reader.
  out.on('error', () => {});
  let lines: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    const text = lines.join('');
    lines = [];
    length = 0;
    try {
      out.write(text);
      out.flushSync();
    } catch {}
  };
  setInterval(flush, gatherMs).unref();
  process.once('exit', flush);
  // The stream would measure its whole buffer at every line.
  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= gatherBytes) flush();
    },
    flushSync: flush,
  };
}

/** Failures because something that the platform needs was unavailable or too slow. */
export interface Outages {
  /** Counts it, and logs at most one line a second, since during an outage every call fails. */
  note(what: string, name: string): void;
}

export function createOutages(log: Log, metrics: Pick<Metrics, 'countOutage'>): Outages {
  const line = atMostEvery(1_000, (unlogged, what: string, outage: string) =>
    log.warn({ outage, failed: what, unlogged }, 'A dependency of the platform is unavailable or too slow.'),
  );
  return {
    note(what, name) {
      metrics.countOutage();
      line(what, name);
    },
  };
}

/** A function that logs at most one line in this time. `line` gets the number of calls that logged none since. */
export function atMostEvery<Given extends unknown[]>(
  everyMs: number,
  line: (unlogged: number, ...given: Given) => void,
): (...given: Given) => void {
  let nextAt = 0;
  let unlogged = 0;
  return (...given) => {
    const now = performance.now();
    if (now < nextAt) return void (unlogged += 1);
    nextAt = now + everyMs;
    line(unlogged, ...given);
    unlogged = 0;
  };
}
