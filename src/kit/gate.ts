import type pg from 'pg';
import { RateLimited } from './errors.ts';

/** The door of one process. It lets a call in while there is room for its work, and has the others wait outside, in order. */
export interface Gate {
  /**
   * `begin` is called when the call may begin, at once where there is room, or with its refusal. What comes back is to be called
   * when the call is over, or its sender gone: a place in the queue, too, is given up by it.
   */
  enter(begin: (refusal: RateLimited | null) => void): () => void;
  readonly inWork: number;
  readonly waiting: number;
}

interface Waiting {
  begin(): void;
  timer: NodeJS.Timeout;
}

type GatePool = Pick<pg.Pool, 'waitingCount' | 'idleCount'> & { on(event: 'release', listener: () => void): unknown };

/**
 * What is scarce is connections, so room is measured at the pool: a call begins while few enough wait for one. A call that waits
 * for a slow processor holds none, and so keeps nobody out; that there are not boundlessly many of those is the second bound.
 */
const waitersPerConnection = 2;
const inWorkPerConnection = 100;
const waitingPerConnection = 100;

/** A burst is waited out for so long. Where the queue has not been empty for that time it is no burst, and so long a wait serves nobody. */
const patience = { patientMs: 10_000, briefMs: 5_000, now: () => performance.now() };
const retryAfterS = 2;

export function createGate(pool: GatePool, poolSize: number, { patientMs, briefMs, now } = patience): Gate {
  const queue = new Set<Waiting>();
  let inWork = 0;
  let emptyAt = 0;
  let isWaking = false;

  const room = (): number =>
    Math.min(
      inWorkPerConnection * poolSize - inWork,
      waitersPerConnection * poolSize - Math.max(0, pool.waitingCount - pool.idleCount),
    );

  function letIn(): void {
    isWaking = false;
    // Counted once: a call that begins may come to its first statement only later.
    let places = queue.size > 0 ? room() : 0;
    for (const waiting of queue) {
      if (places-- <= 0) return;
      drop(waiting);
      inWork += 1;
      waiting.begin();
    }
  }

  /** After the pool has given the connection on to whoever waits there. */
  function wake(): void {
    if (isWaking || queue.size === 0) return;
    isWaking = true;
    queueMicrotask(letIn);
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
      const patienceMs = now() - emptyAt > patientMs ? briefMs : patientMs;
      let hasBegun = false;
      const waiting: Waiting = {
        begin() {
          hasBegun = true;
          begin(null);
        },
        timer: setTimeout(() => {
          drop(waiting);
          begin(new RateLimited(retryAfterS));
        }, patienceMs),
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
