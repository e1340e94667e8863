import type pg from 'pg';
import { RateLimited } from '../kit/errors.ts';

/** Admission control of one process: it admits a request while there is room and queues the others in order. */
export interface AdmissionControl {
  /**
   * Calls `begin` when the request may begin, at once if there is room, or with an error. The returned function must be
   * called when the request has ended or its client is gone; it also gives up a place in the queue.
   */
  enter(begin: (refusal: RateLimited | null) => void): () => void;
  readonly inWork: number;
  readonly waiting: number;
}

interface Waiting {
  begin(): void;
  timer: NodeJS.Timeout;
}

type AdmissionPool = Pick<pg.Pool, 'waitingCount' | 'idleCount'> & {
  on(event: 'release', listener: () => void): unknown;
};

/**
 * Connections are scarce, so room is measured at the pool: a request begins while few others wait for a connection. A
 * request that waits for a slow processor uses none and keeps no other out; the second bound limits their number.
 */
const waitersPerConnection = 2;
const inWorkPerConnection = 100;
const waitingPerConnection = 100;

/** How long a request waits in a burst. When the queue was not empty for that time, requests wait less. */
const queueTimeouts = { queueTimeoutMs: 10_000, busyQueueTimeoutMs: 5_000, now: () => performance.now() };
const retryAfterS = 2;

/** `waitingBeside` counts the calls that wait for a connection together with others, of which the pool counts one. */
export function createAdmissionControl(
  pool: AdmissionPool,
  poolSize: number,
  waitingBeside: () => number,
  { queueTimeoutMs, busyQueueTimeoutMs, now } = queueTimeouts,
): AdmissionControl {
  const queue = new Set<Waiting>();
  let inWork = 0;
  let emptyAt = 0;
  let isWaking = false;

  const room = (): number =>
    Math.min(
      inWorkPerConnection * poolSize - inWork,
      waitersPerConnection * poolSize - Math.max(0, pool.waitingCount + waitingBeside() - pool.idleCount),
    );

  function admitWaitingCalls(): void {
    isWaking = false;
    // Counted once: a request that begins may send its first statement later.
    let places = queue.size > 0 ? room() : 0;
    for (const waiting of queue) {
      if (places-- <= 0) return;
      drop(waiting);
      inWork += 1;
      waiting.begin();
    }
  }

  /** After the pool has passed the connection to the next statement that waits for one. */
  function wake(): void {
    if (isWaking || queue.size === 0) return;
    isWaking = true;
    queueMicrotask(admitWaitingCalls);
  }

  function drop(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    if (queue.delete(waiting) && queue.size === 0) emptyAt = now();
  }

  function leave(): void {
    inWork -= 1;
    wake();
  }

  pool.on('release', wake);
  return {
    enter(begin) {
      if (queue.size === 0) {
        emptyAt = now();
        if (room() > 0) {
          inWork += 1;
          begin(null);
          return leave;
        }
      }
      if (queue.size >= waitingPerConnection * poolSize) {
        begin(new RateLimited(retryAfterS));
        return () => {};
      }
      const waitTimeoutMs = now() - emptyAt > queueTimeoutMs ? busyQueueTimeoutMs : queueTimeoutMs;
      let hasBegun = false;
      const waiting: Waiting = {
        begin() {
          hasBegun = true;
          begin(null);
        },
        timer: setTimeout(() => {
          drop(waiting);
          begin(new RateLimited(retryAfterS));
        }, waitTimeoutMs),
      };
      queue.add(waiting);
      return () => (hasBegun ? leave() : drop(waiting));
    },
    get inWork() {
      return inWork;
    },
    get waiting() {
      return queue.size;
    },
  };
}
