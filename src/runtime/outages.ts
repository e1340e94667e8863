import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** What failed because something that the platform needs was away, or too slow. */
export interface Outages {
  /** Counts it, and logs it: at most one line a second, since during an outage every call fails. */
  note(what: string, name: string): void;
}

const lineEveryMs = 1_000;

export function createOutages(log: Log, metrics: Pick<Metrics, 'countOutage'>): Outages {
  let nextAt = 0;
  let unlogged = 0;
  return {
    note(what, name) {
      metrics.countOutage();
      const now = performance.now();
      if (now < nextAt) {
        unlogged += 1;
        return;
      }
      nextAt = now + lineEveryMs;
      log.warn({ outage: name, failed: what, unlogged }, 'Something that the platform needs is away, or too slow.');
      unlogged = 0;
    },
  };
}
