import type { IncomingMessage } from 'node:http';

/** Browsers send a tenth of it. */
const charactersMax = 1_000;

/**
 * Cuts the headers by which an answer is chosen. They are lists, each entry of which is compared and sorted, and some of
 * what reads them repeats them in its answer.
 */
export function boundHeaders({ headers }: Pick<IncomingMessage, 'headers'>): void {
  for (const name of ['accept', 'accept-encoding', 'accept-language'] as const) {
    const value = headers[name];
    if (value !== undefined && value.length > charactersMax) headers[name] = value.slice(0, charactersMax);
  }
}
