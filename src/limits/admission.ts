import type { IncomingMessage, ServerResponse } from 'node:http';
import type pg from 'pg';
import { Overloaded } from '../lib/errors.ts';

/** The property of a request that refers to its slot. */
const ofRequest = Symbol('place');

type Placed = IncomingMessage & { [ofRequest]?: Place };

/** The slot of a request in admission control. It is freed while the request waits for its sender. */
class Place {
  readonly #admissionControl: AdmissionControl;
  #leave = (): void => {};
  #hasEnded = false;

  constructor(admissionControl: AdmissionControl) {
    this.#admissionControl = admissionControl;
  }

  take(begin: (refusal: Overloaded | null) => void): void {
    // `begin` may be called immediately, and may answer the request immediately.
    const leave = this.#admissionControl.enter(begin);
    if (this.#hasEnded) leave();
    else this.#leave = leave;
  }

  leave(): void {
    const leave = this.#leave;
    this.#leave = () => {};
    leave();
  }

  /** A request that is answered, or whose client is gone, takes no slot again. */
  end(): void {
    this.#hasEnded = true;
    this.leave();
  }

  retake(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve, reject) => this.take((refusal) => (refusal ? reject(refusal) : resolve())));
  }
}

/**
 * Calls `begin` when there is a slot. The slot is held until the answer is written, not until its client has read it.
 */
export function takePlace(
  admissionControl: AdmissionControl,
  request: Placed,
  response: ServerResponse,
  begin: (refusal: Overloaded | null) => void,
): void {
  const place = new Place(admissionControl);
  request[ofRequest] = place;
  // one signature for all its overloads
  const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
  response.end = (...parts: unknown[]) => {
    place.end();
    return end(...parts);
  };
  response.on('close', () => place.end());
  place.take(begin);
}

/**
 * Receives the body of a request without holding its slot, so that slow senders do not block others. Most bodies have
 * arrived with the head; these requests keep their slots. Rejects with `Overloaded` if there is no slot by then.
 */
export async function releaseSlotWhile<Body>(request: Placed, receive: () => Promise<Body>): Promise<Body> {
  const place = request[ofRequest];
  await Promise.resolve(); // the parser sets `complete` after it has called the handler
  if (!place || request.complete) return receive();
  place.leave();
  try {
    return await receive();
  } finally {
    await place.retake();
  }
}

/** Admission control of one process: it admits a request while there is room and queues the others in order. */
export interface AdmissionControl {
  /**
   * Calls `begin` when the request may begin, immediately if there is room, or with an error. The returned function
   * must be called when the request has ended or its client is gone; it also removes the request from the queue.
   */
  enter(begin: (refusal: Overloaded | null) => void): () => void;
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
 * request that waits for a slow processor uses no connection and blocks no other; the second bound limits their number.
 */
const waitersPerConnection = 2;
const inWorkPerConnection = 100;
const waitingPerConnection = 100;

/** How long a request waits in a burst. If the queue has not been empty for that time, requests wait less. */
const queueTimeouts = { queueTimeoutMs: 10_000, busyQueueTimeoutMs: 5_000, now: () => performance.now() };

/** `waitingBeside` counts calls waiting in a batch or a queue, which the pool does not count. */
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
    // Computed once, since a request that begins may send its first statement later.
    let places = queue.size > 0 ? room() : 0;
    for (const waiting of queue) {
      if (places-- <= 0) return;
      drop(waiting);
      inWork += 1;
      waiting.begin();
    }
  }

  /** Runs after the pool has given the connection to the next waiting statement. */
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
        begin(new Overloaded());
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
          begin(new Overloaded());
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
